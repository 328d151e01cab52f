/**
 * Where several languages share a name and linguist has no rule, or none that holds, it asks a classifier trained on
 * its samples. These rules do instead: tell-tale lines of one language, tried in order.
 */
export const ownRules = new Map(
  Object.entries<[language: string, pattern: RegExp][]>({
    '.ash': [
      ['KoLmafia ASH', /^(?:script|since|notify)\s+["\w]|^import\s*<|\bmy_\w+\(|^void main\b/m],
      [
        'AGS Script',
        /^\/\/ Main header script|^[ \t]*(?:import\s+(?:function|int)|function|struct|managed|enum)\s+\w/m,
      ],
    ],
    '.brd': [
      ['KiCad Legacy Layout', /^PCBNEW-BOARD/],
      ['Eagle', /<eagle\b|<!DOCTYPE eagle\b/],
    ],
    '.cake': [
      ['C#', /^#(?:addin|load|tool)\b|^[ \t]*(?:var\s+\w+\s*=|using\s).*;\s*$/m],
      ['CoffeeScript', /->\s*$|^[ \t]*(?:task|option)\s+['"]/m],
    ],
    '.cfg': [['HAProxy', /^[ \t]*(?:frontend|backend|listen|defaults)\b[^=\r\n]*$|^global\s*$/m]],
    '.cls': [['Apex', /\b(?:(?:with|without|inherited)\s+sharing\b|@isTest\b|System\.debug\()/i]],
    '.cp': [['Component Pascal', /^[ \t]*MODULE\s+\w+;/m]],
    '.cue': [
      ['Cue Sheet', /^[ \t]*(?:FILE\s+".*"\s+\w+|TRACK\s+\d+\s|PERFORMER\s+")/m],
      ['CUE', /^(?:package\s+\w+|import\s)|^[ \t]*#?\w+:\s/m],
    ],
    '.ddl': [
      ['PLSQL', /^[ \t]*create\s+(?:or\s+replace\s+)?(?:package|procedure|function|type)\b|^\/\s*$|\bvarchar2\b/im],
    ],
    '.dsc': [['DenizenScript', /^[ \t]+(?:type|debug):[ \t]*\w+[ \t]*$/m]],
    '.fcgi': [['PHP', /<\?php/]],
    '.frag': [['GLSL', /^[ \t]*(?:#version|precision|uniform|varying|in|out)\b|\bgl_\w|^[ \t]*void\s+main\s*\(/m]],
    '.fx': [['HLSL', /\b(?:float[1-4](?:x[1-4])?|technique\w*|sampler\w*|cbuffer|SV_\w+)\b/]],
    '.gs': [['Genie', /^(?:class|init)\b.*[^;{]$|^[ \t]+def\s+\w+\(.*\)\s*$/m]],
    '.gst': [['Gosu', /<%/]],
    '.inc': [
      ['HTML', /^[ \t]*<(?:!DOCTYPE|html|head|body|div|p|table|tr|td|ul|a|script|style|form)\b/im],
      ['SourcePawn', /^[ \t]*#include\s+<sourcemod>|^[ \t]*methodmap\s+\w+|\bchar\[\]\s+\w+/m],
      [
        'Pawn',
        /^[ \t]*#if defined _\w+_included|^[ \t]*(?:native|forward|stock)\s|#tryinclude|\b(?:Float|bool|File):\w/m,
      ],
      ['SQL', /^[ \t]*(?:select|insert\s+into|create\s+table|set\s+@|flush|--\w+\s)/im],
      ['BitBake', /^[A-Z][\w:]*\s*[?+.:]{0,2}=\s*"|^do_\w+\s*\(/m],
    ],
    '.jq': [
      [
        'JSONiq',
        /^[ \t]*(?:jsoniq\s+version|declare\s|import\s+module\s+namespace|for\s+\$\w+\s+in|let\s+\$\w+\s*:=)/m,
      ],
      ['jq', /\S/],
    ],
    '.ks': [
      ['Kickstart', /^(?:%(?:packages|post|pre|include|end)|bootloader|lang|keyboard|rootpw|timezone|url|install)\b/m],
    ],
    '.m': [
      ['Objective-C', /^[ \t]*#(?:import|include)\b|\[\w+\s+\w+[:\]]|@"|@autoreleasepool\b/m],
      ['MATLAB', /^[ \t]*(?:function\b.*[=(]|classdef\s|end\s*$|\w+\s*=.*;\s*(?:%.*)?$)|^[ \t]*disp\(/m],
      ['M', /^%?[a-z]\w*(?:\([\w,]*\))?\s+;|^[\s.]+(?:n|new|s|set|w|write|q|quit|d|do|k|kill)(?::\S+)?\s/im],
    ],
    '.mm': [
      ['XML', /^\s*<(?:\?xml|map\b)/],
      ['Objective-C++', /^[ \t]*(?:#\s*(?:import|include|if|define|pragma)|@\w+|\/\/|\/\*)/m],
    ],
    '.mo': [
      ['Motoko', /^[ \t]*(?:import\s+\w+\s+"mo:|(?:shared\s.*)?actor\b|(?:public\s+)?(?:func|module|class)\b.*\{)/m],
    ],
    '.mod': [['AMPL', /^[ \t]*(?:set|param|var|subject\s+to|minimize|maximize)\s+\w+/m]],
    '.moo': [['Mercury', /:-\s*module\b/]],
    '.mqh': [['MQL5', /mql5\.com|\bCTrade\b|\bMqlTradeRequest\b|^[ \t]*template\s*</m]],
    '.nas': [['Assembly', /^[ \t]*(?:section|segment|global|extern|bits|mov|%define|%macro|align|\[\w+\s)/im]],
    '.nb': [['Wolfram Language', /\bNotebook\[|\(\*/]],
    '.pbt': [
      ['PowerBuilder', /^(?:Save Format|appname|applib|LibList)\b/m],
      ['Protocol Buffer Text Format', /^[ \t]*\w+\s*[:{]/m],
    ],
    '.pluginspec': [
      ['XML', /^\s*<\?xml|^\s*<\w/],
      ['Ruby', /^[ \t]*\w+\.\w+/m],
    ],
    '.prc': [['PLSQL', /^[ \t]*create\s+(?:or\s+replace\s+)?(?:package|procedure|function|type)\b/im]],
    '.reds': [['Red', /^[ \t]*Red(?:\/System)?\s*\[/im]],
    '.rsc': [['RouterOS Script', /^[ \t]*[/:](?:\w[\w-]*)(?:\s|$)|\bRouterOS\b/m]],
    '.sch': [
      ['KiCad Schematic', /^\s*(?:EESchema Schematic|\(kicad_sch\b)/],
      ['Eagle', /<eagle\b|<!DOCTYPE eagle\b/],
      ['XML', /^\s*<\?xml/],
      ['Scheme', /^\s*[;(]/],
    ],
    '.shader': [
      ['ShaderLab', /^[ \t]*Shader\s+"/m],
      ['GLSL', /\S/],
    ],
    '.sls': [
      ['Scheme', /^[ \t]*\((?:library|import|define|r6rs)/m],
      ['Salt', /\S/],
    ],
    '.spec': [
      [
        'RPM Spec',
        /^(?:Name|Version|Release|Summary|License|BuildRequires)\s*:|^%(?:define|global|prep|build|files)\b/m,
      ],
      ['Ruby', /^[ \t]*(?:describe|context|require|Gem::Specification\.new|Pod::Spec\.new)\b|\|\w+\|\s*$/m],
      ['Python', /\b(?:Analysis|EXE|PYZ)\(/],
    ],
    '.t': [
      ['Terra', /^[ \t]*(?:local\s+)?terra\b|\bterralib\./m],
      ['Perl', /\S/],
    ],
    '.trigger': [['Apex', /^[ \t]*trigger\s+\w+\s+on\s+\w+/im]],
    '.vhost': [['Nginx', /^[ \t]*(?:server|upstream|location)\b[^<\r\n]*\{/m]],
    '.workflow': [['HCL', /^[ \t]*(?:workflow|action)\s+"/m]],
    hosts: [['Hosts File', /^[ \t]*(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*::[0-9a-f]*)\s+\w/im]],
  }),
)
