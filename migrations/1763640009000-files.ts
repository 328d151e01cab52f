import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Files1763640009000 implements MigrationInterface {
  name = 'Files1763640009000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE files (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        run_id text,
        name text NOT NULL,
        storage_key text NOT NULL UNIQUE,
        content_type text NOT NULL,
        size bigint NOT NULL,
        sha256 text NOT NULL,
        created_at timestamptz NOT NULL,
        UNIQUE NULLS NOT DISTINCT (project_id, run_id, name)
      )`)
    await db.query('CREATE INDEX files_project_id ON files (project_id, id)')
    await db.query(`
      CREATE TABLE doomed_objects (
        storage_key text PRIMARY KEY,
        due_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX doomed_objects_due_at ON doomed_objects (due_at)')
    // A trigger, since most rows are deleted by cascade with their project, organization or user. The objects are due
    // immediately, whatever clock the application uses.
    await db.query(`
      CREATE FUNCTION doom_object() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO doomed_objects (storage_key, due_at) VALUES (OLD.storage_key, 'epoch');
        RETURN NULL;
      END $$`)
    await db.query(`
      CREATE TRIGGER files_doom_object AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION doom_object()`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE doomed_objects, files')
    await db.query('DROP FUNCTION doom_object')
  }
}
