import type { ProjectSettingsChange } from '../../core/projects/schema.ts'
import type { ChangeIntent, ChangeVerdict } from '../../engines/verdicts/change/schema.ts'

/** A commit of a public repository, and what its tests say when they run by hand on its code and on its parent's. */
export interface HistoricChange {
  /** `owner/name` at the code host. Checkouts are found as `owner+name`. */
  repository: string
  commit: string
  subject: string
  expect?: ChangeIntent
  /** The first is the best; there are several where a bound decides, such as that of survivors. */
  verdicts: readonly ChangeVerdict[]
  /** Parts of the names of tests that fail with the parent's code. */
  failsWithout: readonly string[]
  settings?: ProjectSettingsChange
  /** The verdict on it was not looked at until verdicts were final. */
  isAside?: true
}

const bare: ProjectSettingsChange = { installCommand: 'true' }
/** tox.ini of cachetools names pytest-cov, which must be installed on the machine. */
const inSrc: ProjectSettingsChange = { installCommand: 'true', environment: { PYTHONPATH: 'src' } }
/** Its tests ask for the version of the installed package. */
const click: ProjectSettingsChange = {
  installCommand:
    'mkdir -p src/click-8.0.dist-info && printf "Metadata-Version: 2.1\\nName: click\\nVersion: 8.0\\n" > src/click-8.0.dist-info/METADATA',
  environment: { PYTHONPATH: 'src' },
}

/** A test parses the arguments of its process. In the process of Jest it finds those of Jest, and exits. */
const inWorkers: ProjectSettingsChange = { testCommand: 'npx jest --maxWorkers=2' }

/** A package for the benchmarks of cookie downloads a list of sites after its installation. */
const withoutScripts: ProjectSettingsChange = { installCommand: 'npm ci --ignore-scripts' }

export const history: readonly HistoricChange[] = [
  {
    repository: 'gorilla/mux',
    commit: '976b536446a77de8de2d5559c78f612970fb5e37',
    subject: 'Fixed processing of multiple queries for the same path',
    verdicts: ['proved'],
    failsWithout: ['TestMultipleDefinitionOfSamePathWithDifferentQueries'],
  },
  {
    repository: 'gorilla/mux',
    commit: '2b030fc311d07b8c5950807800b03b2d32a7142c',
    subject: 'Fix gorilla#739: Fixed handling of invalid query params',
    verdicts: ['proved'],
    failsWithout: ['TestMethodNotAllowedSubrouterWithSeveralRoutes'],
    isAside: true,
  },
  {
    repository: 'gorilla/mux',
    commit: '98cb6bf42e086f6af920b965c38cacc07402d51b',
    subject: 'fix: regression in vars extract for wildcard host (#579)',
    verdicts: ['proved'],
    failsWithout: ['TestHostMatcher'],
  },
  {
    repository: 'gorilla/mux',
    commit: '946b6237eb8d0ce3225f502b7fd4208d0b60ce5f',
    subject: 'Fix the CORSMethodMiddleware bug with subrouters',
    verdicts: ['proved'],
    failsWithout: ['TestCORSMethodMiddlewareSubrouter'],
    isAside: true,
  },
  {
    repository: 'spf13/pflag',
    commit: '298bcdf4e200c0d9b3818f03c7adaa10192874e4',
    subject: 'fix: allow hex input in UintSlice',
    // The fix replaces the base of a number in three functions. With the old one in the third, all tests pass.
    verdicts: ['unproved'],
    failsWithout: ['TestUISHex'],
  },
  {
    repository: 'spf13/pflag',
    commit: 'ed81e5b5da02e7e859045affe37dbd59116d9202',
    subject: 'fix: allow nil default IP flags in GetIP',
    verdicts: ['proved'],
    failsWithout: ['TestIPNilDefault'],
    isAside: true,
  },
  {
    repository: 'spf13/pflag',
    commit: 'ad27a401853e78fbd8025291e61fe703cfdaea98',
    subject: 'fix: honor custom IsBoolFlag compatibility',
    // Without one of the operands that the fix adds to a condition, all tests pass.
    verdicts: ['unproved'],
    failsWithout: [
      'TestCustomIsBoolFlagGetsNoOptDefaultAutomatically',
      'TestPrintDefaultsCustomIsBoolFlagOmitsDefault',
    ],
    isAside: true,
  },
  {
    repository: 'google/uuid',
    commit: 'a2b2b32373ff0b1a312b7fdf6d38a977099698a6',
    subject: 'fix: Monotonicity in UUIDv7 (#150)',
    verdicts: ['proved'],
    failsWithout: ['TestVersion7Monotonicity'],
  },
  {
    repository: 'google/uuid',
    commit: '6e10cd1027e225e3ad7bfcc13c896abd165b02ef',
    subject: 'fix: use MustParse("xxx") instead of Must(Parse("xxxx")) (#106)',
    verdicts: ['unproved'],
    failsWithout: [],
    isAside: true,
  },
  {
    repository: 'julienschmidt/httprouter',
    commit: '34250257ea144905c752bfaae80d6885f190daf6',
    subject: 'Fix: #322 (#342)',
    verdicts: ['proved'],
    failsWithout: ['TestRedirectTrailingSlash'],
  },
  {
    repository: 'more-itertools/more-itertools',
    commit: 'f51a53bfd2fe9504063a33ef5f4a73e30d82d0e2',
    subject: 'fix: handle empty interleave_evenly input',
    verdicts: ['proved'],
    failsWithout: ['test_no_iterables'],
    settings: bare,
  },
  {
    repository: 'more-itertools/more-itertools',
    commit: 'edb3346f835ca917efbfda5e2d6664ab952da369',
    subject: 'Fix empty ranges in numeric_range.__reversed__',
    verdicts: ['proved'],
    failsWithout: ['test_empty_reversed'],
    settings: bare,
    isAside: true,
  },
  {
    repository: 'more-itertools/more-itertools',
    commit: 'd992be0de9383ddcaae3a24866a2d96b52132b07',
    subject: 'Fix stability in running_min and running_max',
    verdicts: ['proved'],
    failsWithout: ['test_stability'],
    settings: bare,
  },
  {
    repository: 'mahmoud/boltons',
    commit: 'c1c25da365cf14878cf5317147e7a09b5d124df5',
    subject: 'Fix off-by-one in Bits length check',
    verdicts: ['proved'],
    failsWithout: ['test_bits_len_bound'],
    settings: bare,
  },
  {
    repository: 'mahmoud/boltons',
    commit: '1e61524a798ea73632029a013a7686036d5c126f',
    subject: "fix(strutils): stop singularize() mangling words ending in 'ss'",
    verdicts: ['proved'],
    failsWithout: ['test_singularize_double_s'],
    settings: bare,
    isAside: true,
  },
  {
    repository: 'mahmoud/boltons',
    commit: 'ead236e278ca0466bf468de746b5960fb12d7e5b',
    subject: 'fix: backoff_iter with factor=1.0 and no count raised ZeroDivisionError',
    verdicts: ['proved'],
    failsWithout: ['test_backoff_constant_factor'],
    settings: bare,
  },
  {
    repository: 'mahmoud/boltons',
    commit: 'ec1ff9f6728f5f857402b294c218be731c62af5f',
    subject: 'Fix issupserset typo in _ComplementSet comparisons (#438)',
    verdicts: ['proved'],
    failsWithout: ['test_complement_set'],
    settings: bare,
    isAside: true,
  },
  {
    repository: 'tkem/cachetools',
    commit: '57d2e4813d9801f97034559e22428bac6f7c6c9b',
    subject: 'Fix #387: Handle obj=None case for inspection in _DescriptorBase.',
    verdicts: ['proved'],
    failsWithout: ['test_autospec_no_warnings'],
    settings: inSrc,
  },
  {
    repository: 'tkem/cachetools',
    commit: '4d74eb46f507d231faa20f96c4285d36d38e021b',
    subject: 'Fix #356: Improve RRCache performance.',
    verdicts: ['unproved'],
    failsWithout: [],
    settings: inSrc,
    isAside: true,
  },
  {
    repository: 'pallets/click',
    commit: '07c909f23f0f83b5ca137c167b9a134d66201f67',
    subject: 'Validate style() color arguments, fix explicit black color argument',
    verdicts: ['proved'],
    failsWithout: ['test_styling_invalid_color'],
    settings: click,
  },
  {
    repository: 'pallets/click',
    commit: '762c97eef7c1b3779678992f26a553a2a8c80793',
    subject: 'Fix double-bracketing of choices in synopsis',
    verdicts: ['proved'],
    failsWithout: ['test_choice_argument_optional_metavar', 'test_datetime_argument_optional_metavar'],
    settings: click,
    isAside: true,
  },
  {
    repository: 'unjs/ufo',
    commit: 'eb29945470c8629309764f026a36e7f477a9a1ff',
    subject: 'fix(withBase, withoutBase): prevent false prefix matches (#313)',
    verdicts: ['proved'],
    failsWithout: ['"/admin/" + "/admin-dashboard"'],
  },
  {
    repository: 'unjs/ufo',
    commit: '4d024df0134e2484b1e22ba17a08fea31e90de92',
    subject: 'fix(parseQuery): use object with null prototype (#286)',
    verdicts: ['proved'],
    failsWithout: ['http://foo.com/?toString=foo'],
    isAside: true,
  },
  {
    repository: 'unjs/ufo',
    commit: '62199a0cc84727b7b4666aaca8ff04cca2f68f3a',
    subject: 'fix(withProtocol): consider relative protocol (#242)',
    verdicts: ['proved'],
    failsWithout: ['//example.com'],
  },
  {
    repository: 'unjs/ufo',
    commit: '229e83e6b6c9c6edec4baa3a699bd6207ab031e1',
    subject: 'fix(parseURL): only normalize windows drive letters with `file://` protocol (#246)',
    verdicts: ['proved'],
    failsWithout: ['https://test.com/t:est'],
  },
  {
    repository: 'unjs/defu',
    commit: '11ba02213d4b1c6b02dd686041f75edc479c98e9',
    subject: 'fix: ignore inherited enumerable properties',
    verdicts: ['proved'],
    failsWithout: ['should ignore inherited enumerable prop'],
  },
  {
    repository: 'unjs/defu',
    commit: '3942bfbbcaa72084bd4284846c83bd61ed7c8b29',
    subject: 'fix: prevent prototype pollution via `__proto__` in defaults (#156)',
    verdicts: ['proved'],
    failsWithout: ['should not override Object prototype'],
    isAside: true,
  },
  {
    repository: 'minimistjs/minimist',
    commit: 'de53490d7b38b62e2746fa40cb2c4b2b97df4c63',
    subject: "[Fix] consider aliases when testing boolean long option value against 'false'",
    verdicts: ['proved'],
    failsWithout: [],
  },
  {
    repository: 'minimistjs/minimist',
    commit: '63b8fee87b8e7a003216d5d77ba5d6decf3cfb0d',
    subject: '[Fix] Fix long option followed by single dash (#17)',
    verdicts: ['proved'],
    failsWithout: [],
    isAside: true,
  },
  {
    repository: 'sindresorhus/p-queue',
    commit: '9efde425e233ab59ff3e6842430d40fd2208c103',
    subject: 'Fix per-task timeout validation',
    verdicts: ['proved'],
    failsWithout: [],
  },
  {
    repository: 'tj/commander.js',
    commit: '63eed4aa05435575d515311bb5efaf6d88b6be84',
    subject: 'Make order not matter for adding combo positive/negative options (#2405)',
    verdicts: ['proved'],
    failsWithout: [],
    settings: inWorkers,
    isAside: true,
  },
  {
    repository: 'tj/commander.js',
    commit: 'f6302de32c773e9f0d3bb71e257d308885af3603',
    subject: 'Allow negative numbers as optional optional arguments and command arguments when unambiguous (#2339)',
    verdicts: ['proved'],
    failsWithout: [],
    settings: inWorkers,
  },
  {
    repository: 'jshttp/cookie',
    commit: '71798d72650df42288f74e5ab49b65ec44df74fe',
    subject: 'Fix skip over of boolean attributes (#248)',
    verdicts: ['proved'],
    failsWithout: [],
    settings: withoutScripts,
    isAside: true,
  },
]
