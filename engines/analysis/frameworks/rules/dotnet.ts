import { rules } from '../rule.ts'

export const dotnetRules = [
  ...rules('nuget', 'framework', [
    [
      'ASP.NET Core',
      'Microsoft.NET.Sdk.Web Microsoft.AspNetCore.App Microsoft.AspNetCore.Mvc* Microsoft.AspNetCore.OpenApi',
      { imports: 'Microsoft.AspNetCore' },
    ],
    ['ASP.NET', 'Microsoft.AspNet.Mvc Microsoft.AspNet.WebApi*', { imports: 'System.Web.Mvc System.Web.Http' }],
    [
      'Blazor',
      'Microsoft.NET.Sdk.BlazorWebAssembly Microsoft.AspNetCore.Components*',
      { imports: 'Microsoft.AspNetCore.Components' },
    ],
    [
      'Entity Framework Core',
      'Microsoft.EntityFrameworkCore Microsoft.EntityFrameworkCore.* Npgsql.EntityFrameworkCore.*',
      { imports: 'Microsoft.EntityFrameworkCore' },
    ],
    ['Dapper', 'Dapper', { imports: 'Dapper' }],
    ['MediatR', 'MediatR', { imports: 'MediatR' }],
    ['FastEndpoints', 'FastEndpoints', { imports: 'FastEndpoints' }],
    ['Carter', 'Carter', { imports: 'Carter' }],
    ['gRPC', 'Grpc.AspNetCore', { imports: 'Grpc.Core' }],
    ['Hot Chocolate', 'HotChocolate.AspNetCore', { imports: 'HotChocolate' }],
    ['Orleans', 'Microsoft.Orleans.*', { imports: 'Orleans' }],
    ['Aspire', 'Aspire.AppHost.Sdk Aspire.Hosting Aspire.Hosting.*', { imports: 'Aspire.Hosting' }],
    ['ABP', 'Volo.Abp.*', { imports: 'Volo.Abp' }],
    ['Umbraco', 'Umbraco.Cms Umbraco.Cms.*', { imports: 'Umbraco.Cms' }],
    ['Orchard Core', 'OrchardCore.*', { imports: 'OrchardCore' }],
    ['MassTransit', 'MassTransit MassTransit.*', { imports: 'MassTransit' }],
    ['NServiceBus', 'NServiceBus', { imports: 'NServiceBus' }],
    ['Hangfire', 'Hangfire Hangfire.*', { imports: 'Hangfire' }],
    ['Akka.NET', 'Akka', { imports: 'Akka.Actor' }],
    ['.NET MAUI', 'Microsoft.Maui.*', { imports: 'Microsoft.Maui' }],
    ['Avalonia', 'Avalonia Avalonia.*', { imports: 'Avalonia' }],
    ['Unity', '', { imports: 'UnityEngine', configs: 'ProjectSettings/ProjectVersion.txt' }],
  ]),
]
