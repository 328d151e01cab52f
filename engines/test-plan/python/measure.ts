import type { TestPlan } from '../ecosystem.ts'
import { step } from '../ecosystem.ts'
import { quoted } from '../command-line.ts'

/** Where coverage is for Python programs without an environment of their own. */
export const coverageFolder = '{deps}/coverage'

const importable = (python: string) => `${python} -I -c 'import coverage' 2>/dev/null`
/** The tests run without it if no index can be reached. */
const pip = (python: string) => `${python} -I -m pip install --retries 1 --timeout 20`

/** Installs coverage beside the packages of an environment that does not have it. Never fails. */
export const ensureCoverage = (python: string) => `{ ${importable(python)} || ${pip(python)} coverage || true; }`

/** As `ensureCoverage`, for the interpreter of the machine, whose packages stay as they are. */
export const fetchCoverage = `{ ${importable('python3')} || ${pip('python3')} --no-deps --target ${coverageFolder} coverage || true; }`

/**
 * Measures if coverage is installed and starts, which a plugin in its settings may prevent. The module of the trial does
 * nothing. Writes the report afterwards, and ends as the tests did.
 */
const measured = `python="$1"
shift
if ! "$python" -I -c 'import coverage' 2>/dev/null; then
  echo '# No coverage: the package coverage is missing in the environment of the project. Add it to the dependencies.' >&2
  exec "$python" "$@"
fi
if ! COVERAGE_FILE="$COVERAGE_FILE.trial" "$python" -m coverage run --branch -m __future__ >/dev/null 2>&1; then
  echo '# No coverage: coverage does not start with the settings of the project.' >&2
  exec "$python" "$@"
fi
rm -f "$COVERAGE_FILE".trial*
"$python" -m coverage run --branch "$@"
code=$?
"$python" -m coverage combine --keep >/dev/null 2>&1
"$python" -m coverage xml -i -q -o {output}/coverage.xml --fail-under=0 || echo '# No coverage: coverage could not write its report.' >&2
rm -f "$COVERAGE_FILE" "$COVERAGE_FILE".*
exit $code`

/** Returns the command of a Python module with coverage. */
export function measuredByCoverage(
  python: string,
  args: readonly string[],
  details: { because: string; environment: Record<string, string> },
): Pick<TestPlan, 'test' | 'unmeasured' | 'coverage'> {
  const command = quoted(['python', ...args])
  return {
    test: step(['sh', '-c', measured, 'sh', python, ...args], {
      ...details,
      command,
      environment: { ...details.environment, COVERAGE_FILE: '{output}/.coverage' },
    }),
    unmeasured: step([python, ...args], { ...details, command }),
    coverage: ['{output}/coverage.xml'],
  }
}
