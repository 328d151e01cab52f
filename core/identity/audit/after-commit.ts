import type { EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm'

const waiting = new WeakMap<QueryRunner, (() => void)[]>()

// TypeORM also calls these hooks for savepoints. Only the end of the outermost transaction counts.
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

/** Runs `work` after the transaction of `tx` commits. If it rolls back, `work` never runs. */
export function afterCommit(tx: EntityManager, work: () => void): void {
  const { queryRunner, dataSource } = tx
  if (!queryRunner?.isTransactionActive) throw new Error('afterCommit requires an active transaction.')
  if (!dataSource.subscribers.includes(transactionEnds)) dataSource.subscribers.push(transactionEnds)
  waiting.set(queryRunner, [...(waiting.get(queryRunner) ?? []), work])
}
