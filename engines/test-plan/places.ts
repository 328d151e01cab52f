/** The usual places of reports, for commands that do not name one. */
export const usualReports = [
  '**/junit*.xml',
  '**/TEST-*.xml',
  '**/*.trx',
  '**/test-results/**/*.xml',
  '**/test-results/**/*.json',
  '**/test-results.xml',
  '**/test-results.json',
  '**/test-report*.xml',
  '**/reports/**/*.xml',
  '**/surefire-reports/*.xml',
  '**/failsafe-reports/*.xml',
  '**/ctrf*.json',
]

export const usualCoverage = [
  '**/lcov.info',
  '**/coverage.xml',
  '**/cobertura*.xml',
  '**/coverage.cobertura.xml',
  '**/coverage-final.json',
  '**/cover.out',
  '**/coverage.out',
  '**/jacoco*.xml',
  '**/clover.xml',
]
