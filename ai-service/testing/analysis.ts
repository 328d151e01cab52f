import type { AnalysisResult, AnalyzedFile, TestBrief, TestCandidate, TestCase } from '../../engines/analysis/schema.ts'

/** A small TypeScript project with two ranked candidates. */
export function anAnalysis(changes: Partial<AnalysisResult> = {}): AnalysisResult {
  return {
    commitSha: 'a'.repeat(40),
    branch: 'main',
    summary: {
      totalFiles: 3,
      languages: { TypeScript: 3 },
      frameworks: [],
      hasTests: true,
      testFrameworks: [{ name: 'vitest', confidence: 0.95 }],
    },
    files: [
      aFile('src/config.ts', { size: 2_000 }),
      aFile('src/routes/login.ts', { size: 900 }),
      aFile('src/config.test.ts', { size: 700, tags: ['test'] }),
    ],
    directories: [{ path: 'src', fileCount: 3 }],
    packageInfo: { name: 'example' },
    testCandidates: [
      aCandidate({ path: 'src/config.ts', symbol: 'parseConfig' }),
      aCandidate({ path: 'src/routes/login.ts', symbol: 'LoginHandler.handle', kind: 'method', startLine: 3 }),
    ],
    ...changes,
  }
}

export function aCandidate(changes: Partial<TestCandidate> = {}): TestCandidate {
  return {
    path: 'src/config.ts',
    symbol: 'parseConfig',
    kind: 'function',
    startLine: 10,
    endLine: 42,
    complexity: 14,
    churn: 9,
    fanIn: 6,
    hasTest: false,
    score: 5,
    reasons: ['exported', 'complexity 14', 'imported by 6 files'],
    ...changes,
  }
}

let caseCount = 0

export function aCase(changes: Partial<TestCase> = {}): TestCase {
  caseCount += 1
  return {
    id: `case-${caseCount}`,
    line: 12,
    condition: 'text.length === 0',
    outcome: 'returns',
    covered: null,
    ...changes,
  }
}

export function aBrief(changes: Partial<TestBrief> = {}): TestBrief {
  return {
    framework: 'vitest',
    testFile: { path: 'test/config.test.ts', exists: false },
    command: 'npx vitest run test/config.test.ts',
    import: "import { parseConfig } from '../src/config.js'",
    signature: 'parseConfig(text: string, options?: Options): Config',
    parameters: [
      { name: 'text', type: 'string', isOptional: false },
      { name: 'options', type: 'Options', isOptional: true },
    ],
    ...changes,
  }
}

export function aFile(path: string, changes: Partial<AnalyzedFile> = {}): AnalyzedFile {
  const extension = /\.[A-Za-z]+$/.exec(path)?.[0] ?? ''
  return { path, size: 100, extension, language: languages[extension] ?? 'Unknown', ...changes }
}

const languages: Record<string, string> = {
  '.ts': 'TypeScript',
  '.tsx': 'TSX',
  '.js': 'JavaScript',
  '.py': 'Python',
  '.go': 'Go',
  '.java': 'Java',
  '.rb': 'Ruby',
  '.rs': 'Rust',
  '.php': 'PHP',
  '.cs': 'C#',
  '.kt': 'Kotlin',
}
