import { expect, test } from 'vitest'
import { linksOf, repository } from './testing/repository.ts'

test('finds types by namespace: used, enclosing, aliased and global ones', async () => {
  const repo = await repository({
    'src/Shop/Shop.csproj': '<Project />',
    'src/Shop/GlobalUsings.cs': 'global using Shop.Common;',
    'src/Shop/Orders/OrderService.cs': `using Shop.Billing;
using Ledger = Shop.Books.GeneralLedger;
namespace Shop.Orders;
public class OrderService {
  public int Total() { return new Invoice().Sum() + new Clock().Now() + Ledger.Post() + new Settings().Limit(); }
}`,
    'src/Shop/Billing/Invoice.cs': 'namespace Shop.Billing;\npublic class Invoice { public int Sum() { return 1; } }',
    'src/Shop/Billing/Unused.cs': 'namespace Shop.Billing;\npublic class Unused { public int Sum() { return 1; } }',
    'src/Shop/Common/Clock.cs': 'namespace Shop.Common;\npublic class Clock { public int Now() { return 1; } }',
    'src/Shop/Books/GeneralLedger.cs':
      'namespace Shop.Books;\npublic class GeneralLedger { public static int Post() { return 1; } }',
    'src/Shop/Settings.cs': 'namespace Shop;\npublic class Settings { public int Limit() { return 1; } }',
    'src/Other/Invoice.cs': 'namespace Other.Billing;\npublic class Invoice { public int Sum() { return 1; } }',
  })
  expect(linksOf(repo, 'src/Shop/Orders/OrderService.cs')).toEqual([
    'src/Shop/Billing/Invoice.cs: Invoice',
    'src/Shop/Books/GeneralLedger.cs: GeneralLedger',
    'src/Shop/Common/Clock.cs: Clock',
    'src/Shop/Settings.cs: Settings',
  ])
})
