import type { EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm'

const waiting = new WeakMap<QueryRunner, (() => void)[]>()

// Savepoints are announced like transactions; only the end of the outermost one settles anything.
const transactionEnds: EntitySubscriberInterface = {
  afterTransactionCommit({ queryRunner }) {
    if (queryRunner.isTransactionActive) return
    const work = waiting.get(queryRunner) ?? []
    waiting.delete(queryRunner)
    for (const run of work) run()
  },
  afterTransactionRollback({ queryRunner }) {
    if (!queryRunner.isTransactionActive) waiting.delete(queryRunner)
  },
}

/** Does `work` once the transaction that `tx` belongs to is committed, and never if it is not. */
export function afterCommit(tx: EntityManager, work: () => void): void {
  const { queryRunner, dataSource } = tx
  if (!queryRunner?.isTransactionActive) throw new Error('there is no transaction to wait for')
  if (!dataSource.subscribers.includes(transactionEnds)) dataSource.subscribers.push(transactionEnds)
  waiting.set(queryRunner, [...(waiting.get(queryRunner) ?? []), work])
}
