extension ReportPage {
    /// The colours are distinguishable with colour blindness, on white and on black.
    static let style = """
        :root { color-scheme: light dark; --back: #fcfcfb; --text: #1d2128; --dim: #667080;
          --line: #dfe3e8; --card: #ffffff; --c0: #0b63c4; --c1: #d97706; --c2: #0f8a5f;
          --c3: #b4248f; --bad: #c02626; }
        @media (prefers-color-scheme: dark) {
          :root { --back: #14171c; --text: #e6e9ee; --dim: #98a2b0; --line: #2c323b;
            --card: #1b2027; --c0: #6cb0ff; --c1: #f5a742; --c2: #4fd0a0; --c3: #f08ad4;
            --bad: #ff7b72; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem; background: var(--back);
          color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.35rem; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1rem; margin: 0 0 .5rem; }
        header p, footer { color: var(--dim); margin: .25rem 0 1rem; }
        section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
          padding: 1rem; margin: 0 0 1rem; overflow-x: auto; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
          gap: .75rem; background: none; border: 0; padding: 0; }
        .tile { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
          padding: .7rem .9rem; }
        .tile b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
        .tile span { color: var(--dim); }
        .tile.bad b, .warning { color: var(--bad); }
        .warning { border-left: 4px solid var(--bad); padding-left: .8rem; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th { text-align: left; font-weight: 600; color: var(--dim); padding: .2rem 1.2rem .2rem 0;
          white-space: nowrap; vertical-align: top; }
        td { padding: .2rem 0; overflow-wrap: anywhere; }
        /* A plot is as wide as a phone: its text is not scaled down there. */
        .plots { display: grid; gap: 0 1rem;
          grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); }
        svg { display: block; width: 100%; height: auto; }
        svg text { fill: var(--dim); font: 14px system-ui, sans-serif; }
        svg .title { fill: var(--text); font-size: 16px; font-weight: 600; }
        svg .grid { stroke: var(--line); }
        svg .axis { stroke: var(--dim); }
        svg .s0 { stroke: var(--c0); } svg .s1 { stroke: var(--c1); }
        svg .s2 { stroke: var(--c2); } svg .s3 { stroke: var(--c3); }
        @media (max-width: 30rem) { body { padding: .75rem; } section { padding: .75rem; } }
        svg .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
        """
}
