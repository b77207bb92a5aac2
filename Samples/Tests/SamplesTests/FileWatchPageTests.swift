import Glibc
import Testing

/// FileWatchServer's page in a real browser.
@Suite(
    "FileWatchServer's page", .watchdog, .serialized, BrowserLife(),
    .enabled(
        if: HeadlessBrowser.path != nil,
        "no Chromium: apt-get install chromium, and the page is tested too"))
struct FileWatchPageTests {
    /// The page, connected.
    private func withPage(
        _ arguments: [String] = [],
        prepare: (WatchedFolder) throws -> Void = { _ in },
        _ body: (HeadlessBrowser, FileWatchProcess) throws -> Void
    ) throws {
        try withFileWatchServer(arguments: arguments, prepare: prepare) { server in
            let browser = try HeadlessBrowser.page("http://127.0.0.1:\(server.httpPort)/")
            try browser.wait(for: Self.isLive)
            try body(browser, server)
        }
    }

    /// Waits until the element shows the text; throws if it never does.
    private func wait(
        for text: String, in selector: String, of browser: HeadlessBrowser
    ) throws {
        try browser.wait(for: "document.querySelector('\(selector)').textContent === '\(text)'")
    }

    private func isTrue(_ script: String, in browser: HeadlessBrowser) throws -> Bool {
        try browser.evaluate(script) as? Bool == true
    }

    private static let isLive = "document.querySelector('#state')?.dataset.state === 'live'"
    private static let rows = "[...document.querySelectorAll('#stream li')]"
    private static let nodes = "[...document.querySelectorAll('.node .label')]"

    @Test("It shows the tree and each change as it happens, and follows a folder that moves")
    func changes() throws {
        let prepare = { (folder: WatchedFolder) in
            try folder.make(folder: "sub")
            try folder.write("sub/inside")
            try folder.write("first.txt", "12345")
        }
        try withPage(prepare: prepare) { browser, server in
            let folder = server.folder
            try browser.wait(for: "\(Self.nodes).some(e => e.textContent === 'first.txt')")
            try wait(for: "2", in: "#files", of: browser)
            #expect(try isTrue("!document.querySelector('#empty').hidden", in: browser))
            try folder.write("second.txt")
            try browser.wait(for: "\(Self.rows).length === 1")
            let text = try browser.evaluate("\(Self.rows)[0].innerText") as? String ?? ""
            #expect(text.contains("created") && text.contains("second.txt"))
            try browser.wait(for: "\(Self.nodes).some(e => e.textContent === 'second.txt')")
            try wait(for: "3", in: "#files", of: browser)
            // Open the folder, then move it: its contents move along.
            let label = "\(Self.nodes).find(e => e.textContent === 'sub')"
            try browser.evaluate("\(label).closest('button').click()")
            try browser.wait(for: "\(Self.nodes).some(e => e.textContent === 'inside')")
            try folder.move("sub", to: "moved")
            try browser.wait(for: "\(Self.nodes).some(e => e.textContent === 'moved')")
            try browser.wait(for: "find('\(folder.path("moved/inside"))') !== null")
            #expect(try isTrue("find('\(folder.path("sub"))') === null", in: browser))
            try folder.remove("second.txt")
            try browser.wait(for: "!\(Self.nodes).some(e => e.textContent === 'second.txt')")
            try wait(for: "3", in: "#total", of: browser)
        }
    }

    @Test("Its tree matches the disk after many changes at once")
    func manyChanges() throws {
        try withPage { browser, server in
            let folder = server.folder
            for number in 0..<20 {
                try folder.make(folder: "d\(number)")
                for file in 0..<20 { try folder.write("d\(number)/f\(file)") }
                if number % 3 == 0 {
                    try folder.move("d\(number)", to: "e\(number)")
                } else {
                    try folder.remove("d\(number)/f7")
                }
            }
            try folder.write("end")
            try browser.wait(for: "find('\(folder.path("end"))') !== null")
            let script = """
                (async () => {
                  const wanted = (await ask('snapshot')).entries.map(e => e.path);
                  const found = [];
                  const walk = node => { found.push(pathOf(node)); node.children?.forEach(walk); };
                  roots.forEach(walk);
                  const all = new Set([...wanted, roots[0].name]);
                  return wanted.every(p => find(p)) && found.length === all.size;
                })()
                """
            // The last changes may still be on their way.
            try browser.wait(for: script)
        }
    }

    @Test("Filters by text and by kind of event; pauses and resumes")
    func filters() throws {
        try withPage { browser, server in
            let folder = server.folder
            for name in ["alpha", "beta", "gamma"] { try folder.write(name) }
            try browser.wait(for: "\(Self.rows).length === 3")
            try folder.remove("beta")
            try browser.wait(for: "\(Self.rows).length === 4")
            try browser.evaluate("$('text').value = 'ALPHA'; $('text').oninput()")
            try browser.wait(for: "\(Self.rows).length === 1")
            try browser.evaluate("$('text').value = ''; $('text').oninput()")
            try browser.evaluate("document.querySelector('.chip[data-kind=created]').click()")
            try browser.wait(for: "\(Self.rows).length === 1")
            #expect(try isTrue("\(Self.rows)[0].innerText.includes('removed')", in: browser))
            try browser.evaluate("document.querySelector('.chip[data-kind=created]').click()")
            try browser.evaluate("$('pause').click()")
            try folder.write("delta")
            try browser.wait(for: "$('pause').textContent === 'Resume (1)'")
            #expect(try browser.evaluate("\(Self.rows).length") as? Int == 4)
            // What arrives meanwhile is in the list of events alone, which is limited.
            #expect(try isTrue("arrived.length === 0", in: browser))
            try browser.evaluate("$('pause').click()")
            try browser.wait(for: "\(Self.rows).length === 5")
        }
    }

    @Test("Names with invalid UTF-8, line ends or tags stay distinct and are shown as text")
    func names() throws {
        try withPage { browser, server in
            try server.folder.write("<img src=x onerror=document.title='bad'>")
            for byte: UInt8 in [0xfe, 0xff] {
                let path = Array(server.folder.path.utf8) + [0x2f, byte, 0x0a, 0x78, 0]
                close(Glibc.open(path.map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o644))
            }
            try browser.wait(for: "\(Self.nodes).length === 4")
            let names = try browser.evaluate("\(Self.nodes).map(e => e.textContent).join(' ')")
            #expect((names as? String)?.contains("\\xfe⏎x \\xff⏎x") == true, "\(names ?? "")")
            #expect(try isTrue("document.title.startsWith('File watch')", in: browser))
        }
    }

    @Test("It reports a lost server, reconnects, and shows the changes made meanwhile")
    func reconnecting() throws {
        let folder = WatchedFolder(temporary: Folder())
        func start(_ ports: [String]) throws -> (ChildProcess, Substring, Substring) {
            // On an address of its own, where no other test's socket takes the ports meanwhile.
            let process = try Program.fileWatchServer.start(
                [folder.path, "--host", "127.0.0.2"] + ports, .epoll)
            let places = try process.output.waitForLine(beginning: "listening on 127.0.0.2:")
            let parts = places.split(separator: ", http://127.0.0.2:")
            return (process, parts[0], parts[1].dropLast())
        }
        let (first, port, httpPort) = try start(["--port", "0", "--http-port", "0"])
        defer { first.send(SIGKILL) }
        let browser = try HeadlessBrowser.page("http://127.0.0.2:\(httpPort)/")
        try browser.wait(for: Self.isLive)
        first.send(SIGTERM)
        #expect(try first.waitForEnd() == .exit(0), "\(first.words)")
        try browser.wait(for: "document.querySelector('#state').dataset.state === 'lost'")
        try folder.write("meanwhile")
        let (second, _, _) = try start(["--port", String(port), "--http-port", String(httpPort)])
        defer { second.send(SIGKILL) }
        try browser.wait(for: Self.isLive)
        try browser.wait(for: "\(Self.nodes).some(e => e.textContent === 'meanwhile')")
        try folder.write("afterwards")
        try browser.wait(for: "\(Self.nodes).some(e => e.textContent === 'afterwards')")
        try browser.wait(for: "\(Self.rows).some(e => e.innerText.includes('afterwards'))")
    }

    @Test("Each column of the tree has one unit and a heading, and the chart has labelled axes")
    func units() throws {
        let prepare = { (folder: WatchedFolder) in
            try folder.make(folder: "sub")
            try folder.write("sub/inside")
            try folder.write("old.txt", "12345")
        }
        try withPage(prepare: prepare) { browser, server in
            try server.folder.write("new.txt")
            let texts = "s => [...document.querySelectorAll(s)].map(e => e.textContent).join()"
            try browser.wait(for: "(\(texts))('.node .age').includes(' ago')")
            let columns = try browser.evaluate("(\(texts))('#columns span')") as? String
            #expect(columns == "Name,Entries,Size,Changed")
            // The root, the folder, and the files new.txt and old.txt.
            try browser.wait(for: "(\(texts))('.node .entries') === '3,1,,'")
            #expect(try browser.evaluate("(\(texts))('.node .size')") as? String == ",,,5 B")
            let ages = try browser.evaluate("(\(texts))('.node .age')") as? String ?? ""
            #expect(ages.wholeMatch(of: /\d+ \w+ ago,,\d+ \w+ ago,/) != nil, "\(ages)")
            #expect(try browser.evaluate("(\(texts))('#yAxis span')") as? String == "4,2,0")
            let times = try browser.evaluate("(\(texts))('#xAxis span')") as? String
            #expect(times == "2 min ago,1 min ago,now")
        }
    }

    @Test("It fits a phone's width, by day and by night", arguments: ["light", "dark"])
    func phone(scheme: String) throws {
        try withPage { browser, server in
            try browser.call(
                "Emulation.setDeviceMetricsOverride",
                ["width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true])
            try browser.call(
                "Emulation.setEmulatedMedia",
                ["features": [["name": "prefers-color-scheme", "value": scheme]]])
            try server.folder.write(String(repeating: "a long name ", count: 12))
            try browser.wait(for: "\(Self.rows).length === 1")
            let chips = "[...document.querySelectorAll('.chip:not([hidden])')]"
            let isVisible = "e => e.getBoundingClientRect().right <= 360"
            #expect(try isTrue("\(chips).every(\(isVisible))", in: browser))
            let isNarrow = "document.documentElement.scrollWidth <= 360"
            #expect(try isTrue(isNarrow, in: browser))
            let isShown = "document.querySelector('#treePanel').offsetParent !== null"
            #expect(try !isTrue(isShown, in: browser))
            try browser.evaluate("document.querySelector('nav [data-tab=tree]').click()")
            #expect(try isTrue(isShown, in: browser))
            #expect(try isTrue(isNarrow, in: browser))
            let page = try browser.evaluate("getComputedStyle(document.body).backgroundColor")
            let wanted = scheme == "dark" ? "rgb(18, 22, 28)" : "rgb(244, 245, 247)"
            #expect(page as? String == wanted)
        }
    }
}
