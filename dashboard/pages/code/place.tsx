import { getRouteApi, Link } from '@tanstack/react-router'

const route = getRouteApi('/projects/$projectId/code')

/** The folders of a path as links to their files. */
export function Place({ path, isFile = false }: { path: string; isFile?: boolean }) {
  const { commit, snapshot } = route.useSearch()
  const names = path === '' ? [] : path.split('/')
  return (
    <nav className="breadcrumbs" aria-label="Place in the repository">
      <ol>
        {['Repository', ...names].map((name, index) => {
          const folder = names.slice(0, index).join('/')
          return (
            <li key={folder}>
              {index === names.length ? (
                <span aria-current={isFile ? 'page' : 'location'}>{name}</span>
              ) : (
                <Link to="." search={{ commit, snapshot, folder: folder === '' ? undefined : folder }}>
                  {name}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
