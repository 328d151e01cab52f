import { expect, test } from 'vitest'
import { linksOf, repository } from './testing/repository.ts'

const root = 'src/main/java/com/acme'

test('finds classes by import, in the same package, behind wildcards and through static members', async () => {
  const repo = await repository({
    [`${root}/web/OrderController.java`]: `package com.acme.web;
import com.acme.orders.OrderService;
import com.acme.model.*;
import static com.acme.util.Money.round;
import com.acme.orders.OrderService.Options;
public class OrderController {
  public int show(Order order) { return round(new OrderService().total(order) + new Formatter().width()); }
}`,
    [`${root}/web/Formatter.java`]: 'package com.acme.web;\nclass Formatter { int width() { return 1; } }',
    [`${root}/web/Unused.java`]: 'package com.acme.web;\nclass Unused { int width() { return 1; } }',
    [`${root}/orders/OrderService.java`]:
      'package com.acme.orders;\npublic class OrderService { public int total(Object o) { return 1; } public static class Options {} }',
    [`${root}/model/Order.java`]: 'package com.acme.model;\npublic class Order {}',
    [`${root}/model/Customer.java`]: 'package com.acme.model;\npublic class Customer {}',
    [`${root}/util/Money.java`]:
      'package com.acme.util;\npublic class Money { public static int round(int a) { return a; } }',
  })
  expect(linksOf(repo, `${root}/web/OrderController.java`)).toEqual([
    `${root}/model/Order.java: Order`,
    `${root}/orders/OrderService.java: Options OrderService`,
    `${root}/util/Money.java: Money round`,
    `${root}/web/Formatter.java: Formatter`,
  ])
})

test('a test in the mirrored folder sees the classes of its package', async () => {
  const repo = await repository({
    [`${root}/Parser.java`]: 'package com.acme;\nclass Parser { int parse() { return 1; } }',
    'src/test/java/com/acme/ParserTest.java':
      'package com.acme;\nclass ParserTest { void parses() { new Parser().parse(); } }',
  })
  expect(linksOf(repo, 'src/test/java/com/acme/ParserTest.java')).toEqual([`${root}/Parser.java: Parser`])
})
