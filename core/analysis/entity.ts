import { EntitySchema } from 'typeorm'
import {
  type Columns,
  id,
  integer,
  json,
  optionalJson,
  optionalText,
  optionalTime,
  text,
  time,
} from '../base/columns.ts'
import type { AnalysisProgress, AnalysisStatus } from './schema.ts'
import type { AnalysisResult, RankingCoverage } from '../../engines/analysis/schema.ts'

export interface AnalysisRow {
  id: string
  projectId: string
  /** The user who requested the analysis; null for events of the code host and for records of earlier versions. */
  userId: string | null
  /** The token that was used, also after it was deleted; null for a session and for records of earlier versions. */
  tokenId: string | null
  status: AnalysisStatus
  /** The requested branch or commit. If both are null, the project's branch at the time of the analysis. */
  requestedBranch: string | null
  requestedCommit: string | null
  /** The branch and commit that were analyzed. */
  branch: string | null
  commitSha: string | null
  /** Set for an analysis of a snapshot, also after the snapshot was deleted. It is never the latest of its project. */
  snapshotId: string | null
  filesAnalyzed: number
  testCandidates: number
  languages: Record<string, number>
  frameworks: string[]
  progress: AnalysisProgress | null
  error: { code: string; message: string } | null
  result: AnalysisResult | null
  /** The measured coverage that the ranking uses; null if there is none. */
  coverage: RankingCoverage | null
  /** When the ranking was made. */
  rankedAt: Date | null
  /** When coverage last changed. A later time than `rankedAt` means that a new ranking is to come. */
  rankingRequestedAt: Date | null
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
}

export const AnalysisEntity = new EntitySchema<AnalysisRow>({
  name: 'Analysis',
  tableName: 'analyses',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    userId: { ...optionalText, name: 'user_id' },
    tokenId: { ...optionalText, name: 'token_id' },
    status: text,
    requestedBranch: { ...optionalText, name: 'requested_branch' },
    requestedCommit: { ...optionalText, name: 'requested_commit' },
    branch: optionalText,
    commitSha: { ...optionalText, name: 'commit_sha' },
    snapshotId: { ...optionalText, name: 'snapshot_id' },
    filesAnalyzed: { ...integer, name: 'files_analyzed' },
    testCandidates: { ...integer, name: 'test_candidates' },
    languages: json,
    frameworks: json,
    progress: optionalJson,
    error: optionalJson,
    result: { ...optionalJson, select: false },
    coverage: optionalJson,
    rankedAt: { ...optionalTime, name: 'ranked_at' },
    rankingRequestedAt: { ...optionalTime, name: 'ranking_requested_at' },
    createdAt: { ...time, name: 'created_at' },
    startedAt: { ...optionalTime, name: 'started_at' },
    completedAt: { ...optionalTime, name: 'completed_at' },
  } satisfies Columns<AnalysisRow>,
})
