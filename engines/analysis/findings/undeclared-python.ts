import type { Manifest } from '../../manifests/manifest.ts'
import { fields, property, readToml, texts } from '../graph/configuration.ts'
import { baseName } from '../graph/paths.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import { pythonStandardLibrary } from './python-standard-library.ts'
import type { Suspect } from './suspect.ts'

/** Modules whose packages have other names. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  attr: ['attrs'],
  bs4: ['beautifulsoup4'],
  cv2: ['opencv-python', 'opencv-python-headless', 'opencv-contrib-python'],
  Crypto: ['pycryptodome'],
  dateutil: ['python-dateutil'],
  docx: ['python-docx'],
  dotenv: ['python-dotenv'],
  fitz: ['pymupdf'],
  git: ['gitpython'],
  github: ['pygithub'],
  jose: ['python-jose'],
  jwt: ['pyjwt'],
  magic: ['python-magic'],
  pylab: ['matplotlib'],
  MySQLdb: ['mysqlclient'],
  OpenSSL: ['pyopenssl'],
  PIL: ['pillow'],
  psycopg2: ['psycopg2-binary'],
  serial: ['pyserial'],
  skimage: ['scikit-image'],
  sklearn: ['scikit-learn'],
  slugify: ['python-slugify'],
  usb: ['pyusb'],
  yaml: ['pyyaml', 'ruamel-yaml'],
  zmq: ['pyzmq'],
}
/** Come with every installation, or are shared by many packages. */
const elsewhere = new Set(
  'setuptools pkg_resources pip wheel google azure zope backports jaraco ruamel sphinxcontrib opentelemetry aws mpl_toolkits'.split(
    ' ',
  ),
)
/** Programs with a Python of their own provide these modules to the code that they load. */
const provided = new Set(
  'bpy bmesh mathutils gi gdb lldb hou maya pymel nuke unreal idaapi idc ida_bytes sublime sublime_plugin vim uno arcpy qgis FreeCAD micropython machine xbmc xbmcgui'.split(
    ' ',
  ),
)
/** Other tools install what these declare. */
const otherManifests = /^(?:environment.*\.ya?ml|meta\.ya?ml|BUILD|BUILD\.bazel|pants\.toml|shell\.nix|flake\.nix)$/
/** Packages without a module that code imports. */
const withoutModule =
  /^(?:types-|pytest|setuptools|wheel|pip$|build$|black|ruff|mypy|flake8|pylint|isort|coverage|tox|nox|sphinx|pre-commit|tzdata|colorama|gunicorn|uvicorn)/

const plain = (name: string) => name.toLowerCase().replace(/[-_.]/g, '')

/**
 * Finds the modules that product code imports and that no manifest of the repository declares. A package can have
 * modules of any name: it names none if a declared package remains that could be the one that has it.
 */
export function undeclaredPython(
  tree: SourceTree,
  manifests: readonly Manifest[],
  files: readonly number[],
): Suspect[] {
  const pypi = manifests.filter(({ ecosystem }) => ecosystem === 'pypi')
  if (
    files.length === 0 ||
    !declaresDependencies(tree) ||
    tree.files.some(({ path }) => otherManifests.test(baseName(path)))
  )
    return []
  const own = ownNames(tree)
  const declared = new Set(pypi.flatMap(({ dependencies }) => dependencies.map(({ name }) => name.toLowerCase())))
  const imported = new Map<string, number[]>()
  for (const [file] of tree.files.entries()) {
    if (!/\.pyi?$/.test(tree.pathOf(file))) continue
    for (const { specifier } of tree.facts(file)?.imports ?? []) {
      const module = specifier.startsWith('.') ? '' : (specifier.split('.')[0] ?? '')
      if (module === '' || own.has(module)) continue
      imported.set(module, [...(imported.get(module) ?? []), file].slice(0, 1_000))
    }
  }
  const modules = [...imported.keys()]
  const isUnaccounted = (name: string) => !withoutModule.test(name) && !modules.some((module) => provides(name, module))
  const runtime = pypi.flatMap(({ dependencies }) => dependencies.filter(({ kind }) => kind === 'runtime').map(({ name }) => name.toLowerCase())) // prettier-ignore
  if (runtime.some(isUnaccounted)) return []
  const product = new Set(files)
  return modules
    .filter(
      (module) =>
        /^[a-z]\w*$/i.test(module) &&
        !pythonStandardLibrary.has(module) &&
        !elsewhere.has(module) &&
        !provided.has(module),
    )
    .filter((module) => ![...declared].some((name) => provides(name, module)))
    .flatMap((module) =>
      [...new Set(imported.get(module))]
        .filter((file) => product.has(file))
        .map((file): Suspect => ({ kind: 'undeclared_import', file, name: module, specifier: module })),
    )
}

/** Whether a package may have a module: their names are alike, or known to belong together. */
function provides(name: string, module: string): boolean {
  const known = Object.hasOwn(packagesOf, module) ? packagesOf[module] : undefined
  if (known?.includes(name)) return true
  const [a, b] = [plain(name), plain(module)]
  return a.includes(b) || b.includes(a)
}

/** Whether a pyproject.toml lists the dependencies itself, instead of leaving them to a program. */
function declaresDependencies({ manifests }: SourceTree): boolean {
  const tables = [...manifests]
    .filter(([path]) => baseName(path) === 'pyproject.toml')
    .map(([, text]) => readToml(text))
  return (
    tables.length > 0 &&
    tables.every((toml) => {
      const project = fields(property(toml, 'project'))
      const poetry = fields(property(fields(property(toml, 'tool')), 'poetry'))
      if (poetry && property(poetry, 'dependencies') !== undefined) return true
      return project !== undefined && !texts(property(project, 'dynamic')).includes('dependencies')
    })
  )
}

/** Names that a file or folder of the repository has, and so perhaps a module. */
function ownNames(tree: SourceTree): Set<string> {
  const names = tree.paths.folderNames()
  for (const { path } of tree.files) names.add(baseName(path).replace(/\..*$/s, ''))
  return names
}
