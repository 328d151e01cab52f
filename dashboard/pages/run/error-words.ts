export type Advice = 'repository' | 'state' | 'tests' | 'selection' | 'time' | 'operator' | 'again' | 'log'

interface Cause {
  /** What happened, as a sentence. */
  what: string
  advice: Advice
}

/** What the codes of runs without a result mean: of the repository, the plan, the commands, the results, the server. */
const causes: Record<string, Cause> = {
  url_refused: { what: 'Assay may not read the address of the repository.', advice: 'repository' },
  unreachable: { what: 'The repository could not be reached.', advice: 'repository' },
  not_found: { what: 'The repository does not exist at its address.', advice: 'repository' },
  not_a_repository: { what: 'There is no readable git repository at its address.', advice: 'repository' },
  authentication_required: {
    what: 'The repository does not exist, or Assay has no access to it.',
    advice: 'repository',
  },
  empty_repository: { what: 'The repository has no commit.', advice: 'state' },
  branch_not_found: { what: 'The repository does not have this branch.', advice: 'state' },
  commit_not_found: { what: 'The repository does not have this commit.', advice: 'state' },
  reference_not_found: { what: 'The repository does not have this branch or commit.', advice: 'state' },
  snapshot_deleted: { what: 'The working tree of this run was deleted.', advice: 'state' },
  nothing_detected: { what: 'Assay found no tests that it knows how to run.', advice: 'tests' },
  unsupported: { what: 'Assay does not know how to run these tests.', advice: 'tests' },
  bad_setting: { what: 'A setting of the project does not fit its files.', advice: 'tests' },
  install_failed: { what: 'The dependencies could not be installed.', advice: 'tests' },
  prepare_failed: { what: 'A command before the tests failed.', advice: 'tests' },
  command_failed: { what: 'The test command failed, although no test did.', advice: 'tests' },
  no_report: { what: 'The test command ended without a report.', advice: 'tests' },
  report_unreadable: { what: 'A report of the tests could not be read.', advice: 'tests' },
  no_tests: { what: 'No test ran.', advice: 'selection' },
  network_refused: { what: 'The tests needed the network.', advice: 'tests' },
  timeout: { what: 'The run took too long and was stopped.', advice: 'time' },
  cpu_limit: { what: 'The run used too much processor time.', advice: 'operator' },
  memory_limit: { what: 'The run used too much memory.', advice: 'operator' },
  process_limit: { what: 'The run started too many processes.', advice: 'operator' },
  output_limit: { what: 'The run printed too much.', advice: 'operator' },
  disk_limit: { what: 'The run wrote too much to the disk.', advice: 'operator' },
  too_large: { what: 'The repository or its results are too large.', advice: 'operator' },
  disk_full: { what: 'The disk of the server is full.', advice: 'operator' },
  no_executor: { what: 'The server cannot run tests safely.', advice: 'operator' },
  sandbox_failed: { what: 'The sandbox of the run failed.', advice: 'again' },
  interrupted: { what: 'The server stopped several times during the run.', advice: 'again' },
  cancelled: { what: 'The run was stopped before its end.', advice: 'again' },
  internal: { what: 'A defect of Assay stopped the run.', advice: 'again' },
}

/** Says why a run has no result. Codes of later versions have no words of their own. */
export const causeOf = (code: string | undefined): Cause =>
  (code !== undefined && Object.hasOwn(causes, code) ? causes[code] : undefined) ?? {
    what: 'The run has no result.',
    advice: 'log',
  }
