import { rules } from '../rule.ts'

export const phpRules = [
  ...rules('composer', 'framework', [
    ['Laravel', 'laravel/framework illuminate/*', { imports: 'Illuminate', configs: 'artisan' }],
    ['Lumen', 'laravel/lumen-framework', { imports: 'Laravel\\Lumen' }],
    [
      'Symfony',
      'symfony/framework-bundle symfony/symfony',
      { imports: 'Symfony\\Bundle\\FrameworkBundle', configs: 'symfony.lock' },
    ],
    ['Slim', 'slim/slim', { imports: 'Slim' }],
    ['CodeIgniter', 'codeigniter4/framework', { imports: 'CodeIgniter' }],
    ['CakePHP', 'cakephp/cakephp', { imports: 'Cake' }],
    ['Yii', 'yiisoft/yii2 yiisoft/yii yiisoft/yii-web', { imports: 'yii' }],
    ['Laminas', 'laminas/laminas-mvc', { imports: 'Laminas\\Mvc' }],
    ['Mezzio', 'mezzio/mezzio', { imports: 'Mezzio' }],
    ['Hyperf', 'hyperf/framework', { imports: 'Hyperf' }],
    ['Spiral', 'spiral/framework', { imports: 'Spiral' }],
    ['API Platform', 'api-platform/core api-platform/symfony', { imports: 'ApiPlatform' }],
    ['Livewire', 'livewire/livewire', { imports: 'Livewire' }],
    ['Inertia', 'inertiajs/inertia-laravel', { imports: 'Inertia' }],
    ['Filament', 'filament/filament', { imports: 'Filament' }],
    ['Doctrine ORM', 'doctrine/orm', { imports: 'Doctrine\\ORM' }],
    ['WordPress', 'johnpbloch/wordpress roots/wordpress', { configs: 'wp-config.php wp-config-sample.php' }],
    ['Drupal', 'drupal/core drupal/core-recommended', { imports: 'Drupal' }],
    ['Magento', 'magento/framework magento/product-community-edition', { imports: 'Magento\\Framework' }],
    ['TYPO3', 'typo3/cms-core', { imports: 'TYPO3\\CMS' }],
    ['Statamic', 'statamic/cms', { imports: 'Statamic' }],
    ['ReactPHP', 'react/event-loop', { imports: 'React\\EventLoop' }],
  ]),
]
