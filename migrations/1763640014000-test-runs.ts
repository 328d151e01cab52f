import type { MigrationInterface, QueryRunner } from 'typeorm'

export class TestRuns1763640014000 implements MigrationInterface {
  name = 'TestRuns1763640014000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE test_runs (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        status text NOT NULL,
        type text NOT NULL,
        source text NOT NULL,
        branch text,
        commit_sha text,
        pull_request integer,
        with_secrets boolean NOT NULL,
        selection jsonb,
        rerun_of text,
        name text,
        idempotency_key text,
        request_digest text,
        total_tests integer NOT NULL DEFAULT 0,
        passed_tests integer NOT NULL DEFAULT 0,
        failed_tests integer NOT NULL DEFAULT 0,
        skipped_tests integer NOT NULL DEFAULT 0,
        flaky_tests integer NOT NULL DEFAULT 0,
        coverage double precision,
        duration integer,
        plan jsonb,
        recipe jsonb,
        executor text,
        progress jsonb,
        error jsonb,
        warnings jsonb NOT NULL DEFAULT '[]',
        attempt integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        completed_at timestamptz,
        UNIQUE (project_id, idempotency_key)
      )`)
    await db.query('CREATE INDEX test_runs_project_id ON test_runs (project_id, id)')
    await db.query(`CREATE INDEX test_runs_unfinished ON test_runs (id) WHERE status IN ('PENDING', 'RUNNING')`)
    await db.query(`
      CREATE TABLE test_results (
        run_id text NOT NULL REFERENCES test_runs ON DELETE CASCADE,
        position integer NOT NULL,
        test_id uuid NOT NULL,
        suite text NOT NULL,
        name text NOT NULL,
        file text,
        line integer,
        status text NOT NULL,
        duration_ms double precision,
        message text,
        stack text,
        attempts jsonb,
        flaky boolean NOT NULL,
        error_id uuid,
        PRIMARY KEY (run_id, position)
      )`)
    await db.query('CREATE INDEX test_results_history ON test_results (test_id, run_id)')
    // The most frequent query, in runs where nearly all tests pass.
    await db.query(
      `CREATE INDEX test_results_notable ON test_results (run_id, position) WHERE status = 'failed' OR flaky`,
    )
    await db.query(`
      CREATE TABLE test_run_coverage (
        run_id text NOT NULL REFERENCES test_runs ON DELETE CASCADE,
        path text NOT NULL,
        covered_lines text NOT NULL,
        uncovered_lines text NOT NULL,
        lines_covered integer NOT NULL,
        lines_total integer NOT NULL,
        branches_covered integer,
        branches_total integer,
        functions_covered integer,
        functions_total integer,
        PRIMARY KEY (run_id, path)
      )`)
    await db.query(`
      CREATE TABLE test_run_log (
        run_id text NOT NULL REFERENCES test_runs ON DELETE CASCADE,
        first_line integer NOT NULL,
        lines integer NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (run_id, first_line)
      )`)
    await db.query(`
      CREATE TABLE test_run_uploads (
        run_id text NOT NULL REFERENCES test_runs ON DELETE CASCADE,
        digest text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (run_id, digest)
      )`)
    // No foreign key to the project, because its deletion is an event, too.
    await db.query(`
      CREATE TABLE events (
        id text PRIMARY KEY,
        type text NOT NULL,
        project_id text NOT NULL,
        organization_id text,
        data jsonb NOT NULL,
        created_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX events_created_at ON events (created_at)')
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE events, test_run_uploads, test_run_log, test_run_coverage, test_results, test_runs')
  }
}
