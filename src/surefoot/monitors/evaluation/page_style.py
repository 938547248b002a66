"""Looks of the comparison page, in the colours of the report."""

STYLE = """
:root{color-scheme:light;--ink:#17212b;--muted:#55616e;--line:#dbe1e8;--strong:#aab4c0}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1180px;padding:28px 32px 48px;background:#fff;color:var(--ink);
font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif;
overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
h1,h2{line-height:1.22;font-weight:650;letter-spacing:-.012em;margin:0}
h1{font-size:2rem;margin:.1em 0 .25em}
h2{font-size:1.3rem;margin:0 0 .5em}
.eyebrow{margin:0;color:var(--muted);font-size:.8rem;letter-spacing:.09em;text-transform:uppercase}
.lead{max-width:80ch;margin:.2em 0}
section{margin:32px 0}
.stats{display:flex;flex-wrap:wrap;gap:10px 36px;margin:18px 0 0;padding:12px 0;border-top:1px solid var(--line);
border-bottom:1px solid var(--line)}
.stats dt{color:var(--muted);font-size:.85rem}
.stats dd{margin:0;font-size:1.45rem;font-weight:650;line-height:1.25}
small{font-size:.85em;font-weight:400;color:var(--muted)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;min-width:720px;font-size:.9rem;overflow-wrap:break-word}
th,td{text-align:left;vertical-align:top;padding:4px 12px 4px 0;border-bottom:1px solid var(--line)}
thead th{font-weight:600;color:var(--muted);border-bottom:1.5px solid var(--strong)}
tbody th{font-weight:600;max-width:22ch}
td small{display:block;white-space:nowrap}
td{white-space:nowrap}
.words{white-space:normal;min-width:300px;color:var(--muted)}
figure{margin:0}
figure svg{display:block;width:100%;height:auto}
figcaption{color:var(--muted);font-size:.85rem}
.wide{max-width:820px}
.row{display:flex;flex-wrap:wrap;gap:16px}
.row figure{flex:1 1 330px;max-width:560px}
ul{margin:0;padding-left:1.2em;color:var(--muted);font-size:.9rem;max-width:90ch}
@media (max-width:600px){body{padding:16px 14px 32px}h1{font-size:1.5rem}.stats{gap:8px 22px}
.stats dd{font-size:1.15rem}}
@media print{@page{size:A4;margin:12mm}
body{padding:0;max-width:none;font-size:9.5pt}
h1{font-size:17pt}h2{font-size:12pt;break-after:avoid}
section{margin:5mm 0}.stats dd{font-size:12pt}
.scroll{overflow:visible}table{min-width:0;font-size:8pt}th,td{padding:.8mm 2mm .8mm 0}
thead{display:table-header-group}tr,figure{break-inside:avoid}
.row{gap:3mm}.row figure{flex:1 1 0}.wide{max-width:150mm}}
"""
