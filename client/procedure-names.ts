/** Who reads a message: an agent, which calls tools, or a user of the command line. */
export type Audience = 'tools' | 'commands'

type Names = readonly [tool: string | null, command: string | null]

/** The tools and commands in place of the procedures that core's messages name. Null: only the API has the procedure. */
export const procedureNames: Readonly<Record<string, Names>> = {
  'projects.getProjects': ['list_projects', 'assay projects'],
  'projects.getProject': ['get_project', 'assay projects show'],
  'projects.createProject': ['create_project', 'assay projects add'],
  'projects.updateProject': ['update_project', null],
  'projects.updateProjectSettings': ['update_project_settings', null],
  'projects.deleteProject': ['delete_project', 'assay projects remove'],
  'projects.getProjectAnalyses': ['get_project', null],
  'projects.getLatestProjectAnalysis': ['get_analysis', 'assay analyze --project .'],
  'analysis.analyzeRepository': ['analyze_repository', 'assay analyze --project .'],
  'analysis.startAnalysis': ['analyze_repository', 'assay analyze --project .'],
  'analysis.getAnalysis': ['get_analysis', 'assay analyze'],
  'analysis.getMeasuredCoverage': [null, null],
  'analysis.suggestTests': ['suggest_tests', 'assay suggest'],
  'analysis.generateTests': ['generate_tests', 'assay generate FILE --symbol NAME'],
  'suggestions.list': ['suggest_tests', 'assay suggest'],
  'generatedTests.list': ['generate_tests', null],
  'generatedTests.dismiss': [null, null],
  'tests.verify': ['verify_test', 'assay verify'],
  'tests.getVerification': ['verify_test', 'assay verify'],
  'tests.listVerifications': [null, 'assay verify list'],
  'tests.cancelVerification': [null, 'assay verify cancel'],
  'tests.list': ['get_test_health', 'assay tests'],
  'tests.get': ['get_test_health', 'assay tests show TEST'],
  'tests.confirmFix': [null, 'assay tests confirm TEST'],
  'tests.getConfirmation': [null, 'assay tests confirm TEST'],
  'tests.listConfirmations': [null, null],
  'tests.cancelConfirmation': [null, null],
  'tests.merge': [null, 'assay tests merge FROM INTO'],
  'tests.getPolicy': [null, 'assay tests policy'],
  'tests.updatePolicy': [null, 'assay tests policy --set NAME=VALUE'],
  'tests.previewPolicy': [null, 'assay tests policy --preview --set NAME=VALUE'],
  'quarantine.request': ['request_quarantine', 'assay quarantine request TEST'],
  'quarantine.grant': [null, 'assay quarantine grant ID'],
  'quarantine.release': [null, 'assay quarantine release ID'],
  'quarantine.list': [null, 'assay quarantine'],
  'changes.verify': ['verify_change', 'assay verify --change'],
  'changes.get': ['verify_change', 'assay verify --change --id ID'],
  'changes.list': [null, 'assay verify list --change'],
  'changes.cancel': [null, 'assay verify --change --id ID --cancel'],
  'gate.check': ['check_patch', 'assay gate'],
  'gate.get': ['check_patch', 'assay gate'],
  'gate.list': [null, null],
  'gate.files': ['check_patch', 'assay gate'],
  'gate.finishUploads': [null, 'assay upload --done'],
  'gate.getPolicy': [null, null],
  'gate.updatePolicy': [null, null],
  'gate.previewPolicy': [null, null],
  'testRuns.select': ['select_tests', 'assay select'],
  'selection.get': [null, null],
  'selection.list': [null, null],
  'selection.update': [null, null],
  'strength.measure': ['find_weak_tests', 'assay weak'],
  'strength.get': ['find_weak_tests', 'assay weak show'],
  'strength.list': [null, 'assay weak list'],
  'strength.cancel': [null, 'assay weak cancel'],
  'testRuns.trigger': ['trigger_run', 'assay run'],
  'testRuns.list': ['list_runs', 'assay status'],
  'testRuns.get': ['wait_for_run', 'assay status'],
  'testRuns.cancel': ['cancel_run', 'assay cancel'],
  'testRuns.rerunFailed': ['trigger_run', 'assay run --rerun-failed'],
  'testRuns.failures': ['get_run_failures', 'assay failures'],
  'testRuns.results': ['get_run_failures', 'assay failures'],
  'testRuns.plan': ['get_run', 'assay status'],
  'testRuns.log': ['get_run_log', 'assay log'],
  'testRuns.history': ['get_test_health', 'assay tests show TEST'],
  'testRuns.coverage': [null, null],
  'snapshots.findBase': [null, null],
  'snapshots.create': [null, null],
  'snapshots.get': [null, null],
  'snapshots.list': [null, 'assay snapshots'],
  'snapshots.delete': [null, 'assay snapshots delete'],
  'webhooks.list': ['list_webhooks', 'assay webhooks'],
  'webhooks.get': ['list_webhooks', 'assay webhooks show'],
  'webhooks.create': ['create_webhook', 'assay webhooks create'],
  'webhooks.update': ['update_webhook', 'assay webhooks update'],
  'webhooks.pause': ['update_webhook', 'assay webhooks pause'],
  'webhooks.resume': ['update_webhook', 'assay webhooks resume'],
  'webhooks.delete': ['delete_webhook', 'assay webhooks delete'],
  'webhooks.rotateSecret': ['rotate_webhook_secret', 'assay webhooks rotate-secret'],
  'webhooks.deliveries': ['list_webhook_deliveries', 'assay webhooks deliveries'],
  'webhooks.getDelivery': ['list_webhook_deliveries', 'assay webhooks delivery'],
  'webhooks.retryDelivery': ['retry_webhook_delivery', 'assay webhooks retry'],
  'webhooks.recover': ['retry_webhook_delivery', 'assay webhooks recover'],
  'webhooks.test': ['test_webhook', 'assay webhooks test'],
  'organizations.list': ['list_organizations', null],
  'organizations.getBySlug': ['get_organization', null],
  'organizations.getMembers': ['get_organization', null],
  'codeHost.getConnection': [null, 'assay code-host'],
  'codeHost.setConnection': [null, 'assay code-host set KIND'],
  'codeHost.removeConnection': [null, 'assay code-host remove'],
  'github.getGitHubRepositories': ['list_repositories', null],
  'auth.getSession': [null, null],
  'files.list': [null, null],
  'files.createViewLink': [null, null],
  'tokens.current': ['whoami', 'assay whoami'],
  'tokens.create': [null, 'assay tokens create'],
  'tokens.list': [null, 'assay tokens'],
  'tokens.revoke': [null, 'assay tokens revoke'],
}

/** Returns the command that does what a tool does. */
export function commandOf(tool: string): string {
  const [, command] = Object.values(procedureNames).find(([name, command]) => name === tool && command !== null) ?? []
  return command ?? 'assay'
}

/**
 * Replaces names of procedures in a message by tools or commands, and the intent of a change by the argument or option.
 *
 * @param procedures - the names to replace; a message can quote a branch or a test that looks like one. Defaults to all
 *   known names, for text that quotes nothing
 */
export function inWordsOf(
  audience: Audience,
  text: string,
  procedures: readonly string[] = Object.keys(procedureNames),
): string {
  const intent = audience === 'tools' ? '`expect: "$1"`' : '`--expect $1`'
  return text
    .replaceAll(/`expect: (same|change)`/g, intent)
    .replaceAll(/(?<![\w.])[a-z]+(?:[A-Z][A-Za-z]*)?\.[a-z][A-Za-z]+\b/g, (name, at: number) => {
      if (!procedures.includes(name)) return name
      const [tool, command] = procedureNames[name] ?? [null, null]
      const known = audience === 'tools' ? tool : command && `\`${command}\``
      // Core begins sentences with names of procedures.
      const article = at === 0 || /[.!?] $/.test(text.slice(0, at)) ? 'The' : 'the'
      return known ?? `${article} API procedure ${name}`
    })
}
