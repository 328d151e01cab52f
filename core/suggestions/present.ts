import { suggestionUrl, type Site } from '../base/page-urls.ts'
import type { SuggestionRow } from './entity.ts'
import type { StoredSuggestion } from './schema.ts'

export function presentSuggestion(site: Site, row: SuggestionRow): StoredSuggestion {
  return {
    id: row.id,
    projectId: row.projectId,
    url: suggestionUrl(site, row),
    commitSha: row.commitSha,
    file_path: row.filePath,
    test_type: row.testType,
    description: row.description,
    rationale: row.rationale,
    example_code: row.exampleCode,
    ...(row.target ? { target: row.target } : {}),
    ...(row.caseIds ? { case_ids: row.caseIds } : {}),
    ...(row.cases ? { cases: row.cases } : {}),
    ...(row.moreCases ? { moreCases: row.moreCases } : {}),
    ...(row.through ? { through: row.through } : {}),
    status: row.status,
    verificationId: row.verificationId,
    createdAt: row.createdAt.toISOString(),
  }
}
