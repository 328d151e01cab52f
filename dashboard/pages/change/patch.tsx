import { CodeBlock } from '../../parts/code-block.tsx'
import { CodeLink, type CodeOf } from '../../parts/code-link.tsx'
import { Percent } from '../../parts/numbers.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { Prose } from '../../parts/prose.tsx'
import type { Evidence } from './types.ts'

/** How much of the changed code the tests run, with the code that none runs. */
export function Patch({ of, code }: { of: NonNullable<Evidence['patch']>; code: CodeOf }) {
  return (
    <Section title="Changed lines">
      <div className="page-lines">
        <Facts
          of={[
            ['Run by tests', <Percent key="percent" of={of.percent} />],
            of.lines > 0 && ['Lines', `${of.coveredLines} of ${of.lines}`],
            of.branches > 0 && ['Branches', `${of.coveredBranches} of ${of.branches}`],
            of.partial.length > 0 && [
              'Run without all branches',
              <span key="partial" className="line-links">
                {of.partial.map(({ path, line, taken, total }) => (
                  <CodeLink
                    key={`${path}:${line}`}
                    {...code}
                    path={path}
                    line={line}
                    text={`${path}:${line} (${taken}/${total})`}
                  />
                ))}
              </span>,
            ],
          ]}
        />
        {of.unmeasured.length > 0 ? (
          <p>
            The coverage names none of:{' '}
            {of.unmeasured.map((path) => (
              <span key={path}>
                <CodeLink {...code} path={path} />{' '}
              </span>
            ))}
          </p>
        ) : undefined}
        {of.uncovered.length > 0 ? <h3>Lines that no test runs</h3> : undefined}
        {of.uncovered.map((range) => (
          <div key={`${range.path}:${range.startLine}`} className="stack">
            <p>
              <CodeLink
                {...code}
                path={range.path}
                line={range.startLine}
                text={`${range.path}:${range.startLine}${range.endLine > range.startLine ? `–${range.endLine}` : ''}`}
              />
            </p>
            <CodeBlock
              label={`${range.path} from line ${range.startLine}`}
              text={range.code}
              firstLine={range.startLine}
              maxLines={40}
            />
            {range.cases.length > 0 ? (
              <ul>
                {range.cases.map((each) => (
                  <li key={each}>
                    <Prose text={each} max={400} />
                  </li>
                ))}
              </ul>
            ) : undefined}
          </div>
        ))}
      </div>
    </Section>
  )
}
