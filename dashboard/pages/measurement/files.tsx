import { type CodeOf, CodeLink } from '../../parts/code-link.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Count, Percent } from '../../parts/numbers.tsx'
import { Section } from '../../parts/page.tsx'
import { intervalText } from '../../parts/strength.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { type Evidence, isBelow } from './types.ts'

type FileRow = Evidence['files'][number]

interface FilesProps {
  evidence: Evidence
  code: CodeOf
  path: string | undefined
  onChoose: (path: string | undefined) => void
}

const shownFiles = 300

/** The strength of each file, the one with the most survivors first. */
export function Files({ evidence, code, path, onChoose }: FilesProps) {
  const files = evidence.files.filter((file) => isBelow(file.path, path))
  if (files.length === 0) return undefined
  return (
    <Section title="Files">
      <Table
        label="Strength by file"
        columns={columnsFor(code, onChoose)}
        rows={files.slice(0, shownFiles)}
        rowKey={(row) => row.path}
        exportAll={() => Promise.resolve(files)}
      />
      {files.length > shownFiles ? (
        <p className="quiet">
          {formatCount(files.length - shownFiles)} more files are in the CSV, or choose a folder above.
        </p>
      ) : undefined}
    </Section>
  )
}

const columnsFor = (code: CodeOf, onChoose: FilesProps['onChoose']): readonly Column<FileRow>[] => [
  { id: 'path', title: 'File', cell: (row) => <CodeLink {...code} path={row.path} />, value: (row) => row.path },
  {
    id: 'strength',
    title: 'Strength',
    cell: ({ strength }) => (
      <span title={strength ? intervalText(strength.interval) || undefined : undefined}>
        <Percent of={strength?.percent} />
      </span>
    ),
    value: ({ strength }) => strength?.percent,
  },
  {
    id: 'survived',
    title: 'Survived',
    align: 'right',
    cell: (row) =>
      row.survived === 0 ? (
        <Count of={0} />
      ) : (
        <button type="button" className="plain number" onClick={() => onChoose(row.path)}>
          {formatCount(row.survived)}
          <span className="visually-hidden"> survivors of {row.path}, show these</span>
        </button>
      ),
    value: (row) => row.survived,
  },
  ...(['noticed', 'tried', 'reached', 'found'] as const).map((name): Column<FileRow> => ({
    id: name,
    title: name.charAt(0).toUpperCase() + name.slice(1),
    align: 'right',
    minor: true,
    cell: (row) => <Count of={row[name]} />,
    value: (row) => row[name],
  })),
]

const sum = (files: Evidence['unreached']['files'], of: 'changes' | 'lines') =>
  files.reduce((all, file) => all + file[of], 0)

/** The changes that no passing test runs at all: these lines need a test first. */
export function Unreached({ evidence, code, path }: Omit<FilesProps, 'onChoose'>) {
  const { unreached } = evidence
  const files = unreached.files.filter((file) => isBelow(file.path, path))
  if (files.length === 0) return undefined
  return (
    <Section title="Code that no test runs">
      <p>
        {plural(sum(files, 'changes'), 'change')} on {plural(sum(files, 'lines'), 'line')} could not be tried, because
        no passing test runs them.
      </p>
      <ul className="card unreached plain-list">
        {files.slice(0, shownFiles).map((file) => (
          <li key={file.path}>
            <CodeLink {...code} path={file.path} line={file.at[0]} text={file.path} />
            <span className="line-links number">
              {file.at.map((line) => (
                <CodeLink key={line} {...code} path={file.path} line={line} text={String(line)} />
              ))}
              {file.lines > file.at.length ? (
                <span className="quiet">and {file.lines - file.at.length} more</span>
              ) : undefined}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
