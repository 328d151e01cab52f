import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CoverageFigures1763640021000 implements MigrationInterface {
  name = 'CoverageFigures1763640021000'

  async up(db: QueryRunner) {
    // Lists show the figures of many runs, so that they are not summed up from the rows of all files each time.
    await db.query('ALTER TABLE test_runs ADD COLUMN coverage_figures jsonb')
    await db.query(`
      UPDATE test_runs AS r SET coverage_figures = f.figures
        FROM (SELECT run_id, jsonb_build_object(
                       'coveredLines', sum(lines_covered), 'totalLines', sum(lines_total), 'files', count(*),
                       'worst', coalesce(
                         jsonb_agg(jsonb_build_object('path', path, 'coveredLines', lines_covered,
                                                      'totalLines', lines_total) ORDER BY place)
                           FILTER (WHERE place <= 3 AND lines_covered < lines_total), '[]')) AS figures
                FROM (SELECT *, row_number() OVER (PARTITION BY run_id
                                                   ORDER BY lines_total - lines_covered DESC, path) AS place
                        FROM test_run_coverage) AS ranked
               GROUP BY run_id) AS f
       WHERE r.id = f.run_id AND r.coverage IS NOT NULL`)
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE test_runs DROP COLUMN coverage_figures')
  }
}
