// How the page of a report looks: in the light and in the dark, on paper, on a telephone.

#pragma once

namespace negzero::report {

/// The style sheet. Colours are pairs of a background and a text with a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
inline constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --page: #ffffff; --text: #1a1d21; --soft: #5a616b; --line: #d5d9df; --box: #f4f6f8;
  --bad: #a40e26; --good: #116329;
  --n1: #e3eefc; --n2: #bcd7f7; --n3: #8fbcf0; --n4: #5c9ce6; --n5: #1f5fb0; --n5t: #ffffff;
  --p1: #fdeedd; --p2: #fbd9b3; --p3: #f6be80; --p4: #ee9c44; --p5: #a14c00; --p5t: #ffffff;
  --e1: #fff3c4; --e2: #ffe08a; --e3: #fbb86a; --e4: #e8663c; --e5: #9c1c2c; --e5t: #ffffff;
  --yes: #d9f2e0; --no: #b3152d; --not: #ffffff; --special: #6f3fa8; --specialt: #ffffff; --zero: #eceff3; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --text: #e6e9ed; --soft: #a3abb6; --line: #3a414b;
  --box: #1d2228; --bad: #ff8b98; --good: #7ddb98;
  --n1: #1b2a3d; --n2: #1f3d62; --n3: #24528a; --n4: #2a66b3; --n5: #a9cffb; --n5t: #0b1a2c;
  --p1: #33261a; --p2: #523714; --p3: #714a10; --p4: #8f5b0c; --p5: #ffcf94; --p5t: #2b1700;
  --e1: #3a3216; --e2: #574512; --e3: #75500f; --e4: #93401c; --e5: #ffb1a6; --e5t: #360a05;
  --yes: #173a24; --no: #ffb3ba; --not: #3d0610; --special: #d5b8ff; --specialt: #250a48; --zero: #272d35; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; } h4 { font-size: 1rem; margin-bottom: .25rem; }
code, pre, table.map { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { background: var(--box); border: 1px solid var(--line); padding: .6rem; overflow-x: auto; overflow-wrap: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; } dt { color: var(--soft); }
dd { margin: 0; }
.tiles { grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); } .tiles dd { font-weight: 600; }
table { border-collapse: collapse; } th, td { padding: .2rem .6rem; text-align: left; vertical-align: top; }
.rows td, .rows th { border-bottom: 1px solid var(--line); overflow-wrap: normal; }
.rows td:last-child { min-width: 14rem; } .number { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; max-width: 100%; }
article { border: 1px solid var(--line); border-left: .35rem solid var(--bad); padding: 0 1rem 1rem; margin: 1.5rem 0; }
.maps { display: flex; flex-wrap: wrap; gap: .5rem 2rem; } figure { margin: .5rem 0; max-width: 100%; }
figcaption, .soft { color: var(--soft); } figure ul { margin: .4rem 0; padding-left: 1.2rem; }
table.map td { border: 1px solid var(--page); text-align: right; white-space: nowrap; }
table.map th { color: var(--soft); font-weight: normal; text-align: right; }
small { display: block; font-size: .7rem; }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); font-weight: 600; }
.n1 { background: var(--n1); } .n2 { background: var(--n2); } .n3 { background: var(--n3); }
.n4 { background: var(--n4); } .n5 { background: var(--n5); color: var(--n5t); }
.p1 { background: var(--p1); } .p2 { background: var(--p2); } .p3 { background: var(--p3); }
.p4 { background: var(--p4); } .p5 { background: var(--p5); color: var(--p5t); }
.e0, .zero { background: var(--zero); } .e1 { background: var(--e1); } .e2 { background: var(--e2); }
.e3 { background: var(--e3); } .e4 { background: var(--e4); } .e5 { background: var(--e5); color: var(--e5t); }
.yes { background: var(--yes); } .no { background: var(--no); color: var(--not); font-weight: 600; }
.special { background: var(--special); color: var(--specialt); }
.here { background: var(--e2); display: inline-block; min-width: 100%; }
svg { max-width: 100%; height: auto; } svg polyline { fill: none; stroke: var(--n5); stroke-width: 2; }
svg line { stroke: var(--soft); } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
svg circle { fill: var(--bad); }
@media (max-width: 40rem) { body { padding: .5rem; } article { padding: 0 .5rem .5rem; }
  dl { display: block; } dd { margin: 0 0 .4rem 0; } .tiles { display: grid; } th, td { padding: .15rem .35rem; } }
@media print { :root { --page: #ffffff; --text: #000000; } body { max-width: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } article, figure { break-inside: avoid-page; }
  details::details-content { content-visibility: visible; } .scroll, pre { overflow: visible; } pre { white-space: pre-wrap; } }
)css";

}  // namespace negzero::report
