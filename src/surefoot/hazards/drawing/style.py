"""Looks of the worksheet as a table and as a page, in the colours of the report."""

from __future__ import annotations

WIDTHS = (4.5, 11.5, 7.5, 9.0, 12.5, 13.5, 15.5, 7.0, 9.0, 10.0)
"""Of the columns of rows, in percent."""

PROPERTY_WIDTHS = (5.0, 35.0, 18.0, 12.0, 18.0, 12.0)
"""Of the columns of safety properties."""

TABLE = """
.sf-hazop{color:var(--sf-ink,#17212b);font:13px/1.4 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,
"Liberation Sans",sans-serif;overflow-x:auto}
.sf-hazop table{border-collapse:collapse;width:100%;min-width:900px;table-layout:fixed;font-size:1em}
.sf-hazop caption{text-align:left;font-weight:600;padding:0 0 6px}
.sf-hazop th,.sf-hazop td{text-align:left;vertical-align:top;padding:4px 6px;overflow-wrap:break-word;
border-bottom:1px solid var(--sf-line,#dbe1e8);white-space:normal}
.sf-hazop thead th{font-weight:600;color:var(--sf-muted,#55616e);border-bottom:1.5px solid
var(--sf-line-strong,#aab4c0)}
.sf-hazop tbody th{font-weight:600}
.sf-hazop .new>*{border-top:1.5px solid var(--sf-line-strong,#aab4c0)}
.sf-hazop small{color:var(--sf-muted,#55616e);font-size:.88em;display:block}
.sf-hazop ul{margin:0;padding-left:1.05em}
.sf-hazop .again,.sf-hazop .blank td{color:var(--sf-muted,#55616e)}
.sf-hazop .risk{display:inline-block;padding:0 6px;border-radius:4px;border:1px solid #55616e;
-webkit-print-color-adjust:exact;print-color-adjust:exact}
.sf-hazop .ml{color:#6a4c93;font-weight:700;font-size:.85em;border:1.5px solid #6a4c93;border-radius:3px;padding:0 3px}
.sf-hazop .more{color:var(--sf-muted,#55616e);margin:.5em 0}
"""

DARK = """
@media screen and (prefers-color-scheme:dark){.sf-hazop{--sf-ink:#e7ecf2;--sf-muted:#a3afbb;--sf-line:#2d3844;
--sf-line-strong:#56636f}.sf-hazop .ml{color:#c3a9e8;border-color:#c3a9e8}}
"""

PAGE = """
:root{color-scheme:light;--sf-ink:#17212b;--sf-muted:#55616e;--sf-line:#dbe1e8;--sf-line-strong:#aab4c0}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1500px;padding:28px 32px 48px;background:#fff;color:var(--sf-ink);
font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif;
overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
h1,h2{line-height:1.22;font-weight:650;letter-spacing:-.012em;margin:0}
h1{font-size:2rem;margin:.1em 0 .25em}
h2{font-size:1.3rem;margin:0 0 .5em}
.eyebrow{margin:0;color:var(--sf-muted);font-size:.8rem;letter-spacing:.09em;text-transform:uppercase}
.lead{color:var(--sf-muted);max-width:80ch;margin:.2em 0}
section{margin:32px 0}
.stats{display:flex;flex-wrap:wrap;gap:10px 36px;margin:18px 0 0;padding:12px 0;border-top:1px solid var(--sf-line);
border-bottom:1px solid var(--sf-line)}
.stats dt{color:var(--sf-muted);font-size:.85rem}
.stats dd{margin:0;font-size:1.45rem;font-weight:650;line-height:1.25}
.stats small{font-size:.85rem;font-weight:400;color:var(--sf-muted)}
figure{margin:0}
figure svg{display:block;max-width:100%;height:auto}
.none{color:var(--sf-muted)}
.risks{display:flex;flex-wrap:wrap;gap:16px 40px;align-items:flex-start}
.risks dl{flex:1 1 300px;margin:0;max-width:64ch;font-size:.88rem}
.risks dt{font-weight:600}
.risks dd{margin:0 0 .35em;color:var(--sf-muted)}
@media print{
@page{size:A4 landscape;margin:10mm 10mm 13mm;@bottom-right{content:counter(page) " / " counter(pages);
font:8pt sans-serif;color:#55616e}@bottom-left{content:"HAZOP worksheet";font:8pt sans-serif;color:#55616e}}
body{padding:0;max-width:none;font-size:10pt}
h1{font-size:18pt}
h2{font-size:13pt;break-after:avoid}
section{margin:6mm 0}
.stats{margin-top:3mm;padding:2mm 0}
.stats dd{font-size:14pt}
figure{break-inside:avoid}
figure svg{max-height:172mm}
.system svg{max-height:164mm}
.system:first-of-type svg{max-height:128mm}
.risks{break-inside:avoid;flex-wrap:nowrap;gap:8mm}
.risks figure{flex:0 0 122mm}
.risks dl{flex:1 1 0;font-size:8.5pt;line-height:1.3}
.worksheet{break-before:page}
.sf-hazop{font-size:8.2pt;line-height:1.3;overflow:visible}
.sf-hazop table{min-width:0}
.sf-hazop thead{display:table-header-group}
.sf-hazop tr{break-inside:avoid}
.sf-hazop .blank td{height:9mm}
.sf-hazop th,.sf-hazop td{padding:1.1mm 1.4mm}}
"""
