import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Proof1763640016000 implements MigrationInterface {
  name = 'Proof1763640016000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE suggestions (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        commit_sha text NOT NULL,
        file_path text NOT NULL,
        test_type text NOT NULL,
        description text NOT NULL,
        rationale text NOT NULL,
        example_code text NOT NULL,
        target jsonb,
        fingerprint text NOT NULL,
        status text NOT NULL,
        verification_id text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        UNIQUE (project_id, fingerprint)
      )`)
    await db.query('CREATE INDEX suggestions_project_id ON suggestions (project_id, id)')
    await db.query(`
      CREATE TABLE generated_tests (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        suggestion_id text REFERENCES suggestions ON DELETE SET NULL,
        commit_sha text NOT NULL,
        file_path text NOT NULL,
        code text NOT NULL,
        test_type text NOT NULL,
        framework text,
        description text NOT NULL,
        target jsonb,
        verdict text,
        verification_id text,
        dismissed_at timestamptz,
        created_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX generated_tests_project_id ON generated_tests (project_id, id)')
    await db.query('CREATE INDEX generated_tests_suggestion_id ON generated_tests (suggestion_id)')
    await db.query(`
      CREATE TABLE verifications (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        batch_id text,
        generated_test_id text REFERENCES generated_tests ON DELETE SET NULL,
        suggestion_id text REFERENCES suggestions ON DELETE SET NULL,
        file_path text NOT NULL,
        code text NOT NULL,
        target jsonb,
        branch text,
        commit_sha text,
        repeats integer NOT NULL,
        mutants integer NOT NULL,
        again boolean NOT NULL,
        with_secrets boolean NOT NULL,
        status text NOT NULL,
        verdict text,
        evidence jsonb,
        progress jsonb,
        error jsonb,
        content_key text,
        same_as text,
        attempt integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        completed_at timestamptz
      )`)
    await db.query('CREATE INDEX verifications_project_id ON verifications (project_id, id)')
    await db.query('CREATE INDEX verifications_batch_id ON verifications (batch_id)')
    await db.query('CREATE INDEX verifications_generated_test_id ON verifications (generated_test_id)')
    await db.query('CREATE INDEX verifications_suggestion_id ON verifications (suggestion_id)')
    await db.query(`
      CREATE INDEX verifications_content_key ON verifications (project_id, content_key) WHERE status = 'completed'`)
    await db.query(`
      CREATE INDEX verifications_waiting ON verifications (project_id) WHERE status IN ('pending', 'running')`)
    // The results of a project's tests on a commit: measured once, and used by every verification of that commit.
    await db.query(`
      CREATE TABLE verification_baselines (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        content_key text NOT NULL,
        result jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, content_key)
      )`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE verification_baselines, verifications, generated_tests, suggestions')
  }
}
