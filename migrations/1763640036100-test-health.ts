import type { MigrationInterface, QueryRunner } from 'typeorm'

export class TestHealth1763640036100 implements MigrationInterface {
  name = 'TestHealth1763640036100'

  async up(db: QueryRunner) {
    // `failures`: what the run says about outages. Null until the health of its tests was judged.
    await db.query(`
      ALTER TABLE test_runs
        ADD COLUMN health_pending boolean NOT NULL DEFAULT false,
        ADD COLUMN failures jsonb,
        ADD COLUMN outage text`)
    await db.query('CREATE INDEX test_runs_health_pending ON test_runs (project_id) WHERE health_pending')
    await db.query(`
      CREATE INDEX test_runs_judged ON test_runs (project_id, ran_at, id)
       WHERE status = 'COMPLETED' AND total_tests > 0 AND snapshot_id IS NULL AND with_secrets`)
    await db.query(`
      CREATE TABLE tests (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        test_id uuid NOT NULL,
        variant text NOT NULL,
        suite text NOT NULL,
        name text NOT NULL,
        file text,
        owners text[] NOT NULL DEFAULT '{}',
        health text NOT NULL,
        rule text NOT NULL,
        since jsonb,
        evidence jsonb NOT NULL DEFAULT '[]',
        missing jsonb,
        unsettled boolean NOT NULL DEFAULT false,
        counts jsonb NOT NULL,
        failure_rate double precision NOT NULL DEFAULT 0,
        failures integer NOT NULL DEFAULT 0,
        blocked_runs integer NOT NULL DEFAULT 0,
        blocked_people integer NOT NULL DEFAULT 0,
        impact integer NOT NULL DEFAULT 0,
        p50_ms double precision,
        p95_ms double precision,
        first_seen_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        last_failure jsonb,
        merged_into uuid,
        version integer NOT NULL DEFAULT 1,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, test_id, variant)
      )`)
    await db.query('CREATE INDEX tests_impact ON tests (project_id, impact DESC, test_id)')
    await db.query('CREATE INDEX tests_slowest ON tests (project_id, p50_ms DESC NULLS LAST, test_id)')
    await db.query(`CREATE INDEX tests_not_healthy ON tests (project_id, health) WHERE health <> 'healthy'`)
    // The results of earlier versions are judged when the server starts.
    await db.query(`
      UPDATE test_runs SET health_pending = true
       WHERE status = 'COMPLETED' AND total_tests > 0 AND snapshot_id IS NULL AND with_secrets
         AND ran_at > now() - interval '90 days'`)
    await db.query(`CREATE INDEX tests_unseen ON tests (project_id, last_seen_at) WHERE health <> 'stale'`)
    await db.query(`
      CREATE TABLE health_changes (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        test_id uuid NOT NULL,
        variant text NOT NULL,
        "from" text NOT NULL,
        "to" text NOT NULL,
        rule text NOT NULL,
        evidence jsonb NOT NULL,
        run_id text,
        created_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX health_changes_test ON health_changes (project_id, test_id, id)')
    await db.query(`
      CREATE TABLE test_days (
        project_id text NOT NULL,
        test_id uuid NOT NULL,
        variant text NOT NULL,
        day date NOT NULL,
        runs integer NOT NULL,
        failures integer NOT NULL,
        muted integer NOT NULL,
        retried integer NOT NULL,
        skipped integer NOT NULL,
        default_runs integer NOT NULL,
        default_failures integer NOT NULL,
        ms_sum double precision,
        ms_p50 double precision,
        ms_p95 double precision,
        PRIMARY KEY (project_id, test_id, variant, day)
      ) PARTITION BY RANGE (day)`)
    await db.query('CREATE TABLE test_days_other PARTITION OF test_days DEFAULT')
    await db.query(`
      CREATE TABLE unrolled_days (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        day date NOT NULL,
        PRIMARY KEY (project_id, day)
      )`)
    await db.query(`
      CREATE TABLE test_confirmations (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        token_id text,
        test_id uuid NOT NULL,
        variant text NOT NULL,
        suite text NOT NULL,
        name text NOT NULL,
        file text,
        branch text,
        commit_sha text,
        snapshot_id text,
        repeats integer NOT NULL,
        again boolean NOT NULL,
        status text NOT NULL,
        verdict text,
        evidence jsonb,
        progress jsonb,
        error jsonb,
        content_key text,
        same_as text,
        attempt integer NOT NULL DEFAULT 0,
        merged_at timestamptz,
        merged_run text,
        checked_at timestamptz,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        completed_at timestamptz
      )`)
    await db.query('CREATE INDEX test_confirmations_test ON test_confirmations (project_id, test_id, id)')
    await db.query(
      `CREATE INDEX test_confirmations_unmerged ON test_confirmations (project_id) WHERE verdict = 'confirmed' AND merged_at IS NULL`,
    )
    await db.query(`
      CREATE TABLE codeowners (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        path text,
        content text,
        commit_sha text,
        requested_at timestamptz NOT NULL
      )`)
    await db.query(`
      CREATE TABLE test_policies (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        policy jsonb NOT NULL DEFAULT '{}',
        quarantine jsonb NOT NULL DEFAULT '{}',
        retention jsonb NOT NULL DEFAULT '{}',
        updated_at timestamptz NOT NULL
      )`)
    await db.query(`
      CREATE TABLE quarantines (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        test_id uuid NOT NULL,
        variant text,
        suite text NOT NULL,
        name text NOT NULL,
        file text,
        mode text NOT NULL,
        status text NOT NULL,
        reason text NOT NULL,
        owner text,
        issue_url text,
        automatic boolean NOT NULL,
        days integer NOT NULL,
        requested_by text,
        requested_at timestamptz NOT NULL,
        decided_by text,
        decided_at timestamptz,
        expires_at timestamptz,
        ended_by text,
        ended_at timestamptz,
        end_reason text,
        announced_expiry boolean NOT NULL DEFAULT false
      )`)
    await db.query(`
      CREATE UNIQUE INDEX quarantines_open ON quarantines (project_id, test_id, coalesce(variant, E'\\x01'))
       WHERE status IN ('requested', 'active')`)
    await db.query('CREATE INDEX quarantines_project ON quarantines (project_id, id)')
    await db.query(`CREATE INDEX quarantines_expiring ON quarantines (expires_at) WHERE status = 'active'`)
  }

  async down(db: QueryRunner) {
    await db.query(
      'DROP TABLE quarantines, test_policies, codeowners, test_confirmations, unrolled_days, test_days, health_changes, tests',
    )
    await db.query('DROP INDEX test_runs_judged, test_runs_health_pending')
    await db.query('ALTER TABLE test_runs DROP COLUMN health_pending, DROP COLUMN failures, DROP COLUMN outage')
  }
}
