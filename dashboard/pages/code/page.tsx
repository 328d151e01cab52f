import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { messageOf, statusOf, trpc } from '../../api.ts'
import { Copy } from '../../parts/copy.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatBytes } from '../../parts/number-text.ts'
import { Empty, Page } from '../../parts/page.tsx'
import '../../styles/code.css'
import '../../styles/judged.css'
import { FileList } from './file-list.tsx'
import { FileView } from './file-view.tsx'
import { Lead } from './lead.tsx'
import { Place } from './place.tsx'
import { type CodeFile, fileInput } from './query.ts'

const route = getRouteApi('/projects/$projectId/code')

export function CodePage() {
  const { path } = route.useSearch()
  return path === undefined ? <FileList /> : <FilePage path={path} />
}

function FilePage({ path }: { path: string }) {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const input = fileInput(projectId, search) ?? { projectId, path }
  const query = useQuery(trpc.code.getFile.queryOptions(input, { staleTime: 60_000 }))
  const { data } = query
  const refusal = statusOf(query.error)
  return (
    <Page
      title={<bdi>{path.slice(path.lastIndexOf('/') + 1)}</bdi>}
      documentTitle={path}
      actions={<Copy text={path} label="Copy path" />}
      lead={data ? <Lead of={data} /> : undefined}
    >
      <Place path={path} isFile />
      {data === undefined && refusal !== undefined && refusal < 500 && refusal !== 429 ? (
        <Empty title="This file cannot be shown">
          <p>{messageOf(query.error)}</p>
        </Empty>
      ) : (
        <Loaded query={query}>{(file) => <Content file={file} />}</Loaded>
      )}
    </Page>
  )
}

function Content({ file }: { file: CodeFile }) {
  if (file.tooLarge) {
    return (
      <Empty title="This file is too large to show">
        <p>It has {formatBytes(file.bytes)}. Assay shows files of up to 2 MiB.</p>
      </Empty>
    )
  }
  if (file.totalLines === null) {
    return (
      <Empty title="This is a binary file">
        <p>Its {formatBytes(file.bytes)} are no text, so there are no lines to show.</p>
      </Empty>
    )
  }
  if (file.totalLines === 0) return <Empty title="This file is empty" />
  return <FileView file={file} totalLines={file.totalLines} />
}
