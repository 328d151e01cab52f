import type { SourceFile } from '../parsing/source-file.ts'
import type { TestStyle } from './schema.ts'
import { styleOf } from './style/style-of.ts'

/** The task of `test-style.ts`. A source that the parser cannot handle has no style. */
export default ({ path, source }: SourceFile): Promise<TestStyle | null> => styleOf(path, source).catch(() => null)
