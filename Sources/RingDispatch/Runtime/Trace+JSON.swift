internal import LinuxPlatform

extension Trace {
    /// Starts with the process, and writes a file when it ends by exit(3).
    static func start(file path: String) {
        do throws(SystemError) {
            // Now, so that a wrong path is noticed.
            try SystemFile.write("", to: path)
        } catch {
            fatalConfiguration("RINGDISPATCH_TRACE is '\(path)': \(error)")
        }
        start(capacity: usualCapacity)
        // The program may change its folder.
        let path = SystemFile.resolved(path)
        Processes.atExit { writeFile(path) }
    }

    static let usualCapacity = 32_768

    private static func writeFile(_ path: String) {
        do throws(SystemError) {
            try SystemFile.write(json(), to: path)
        } catch {
            Diagnostics.log("no trace in '\(path)': \(error)")
        }
    }

    /// All events, in the Trace Event Format of Chrome.
    static func json() -> String {
        let (start, events) = events()
        let now = Moment()
        let perTick =
            Double(now.nanoseconds - start.nanoseconds) / Double(max(1, now.ticks &- start.ticks))
        /// Since the start, as decimal microseconds.
        func microseconds(_ ticks: UInt64) -> String {
            let nanoseconds = UInt64(Double(ticks) * perTick)
            let fraction = String(nanoseconds % 1000)
            return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count)
                + fraction
        }
        let lines = events.map { event -> String in
            let category = event.kind.rawValue
            let name =
                switch event.subject {
                case .queue(let label): label
                case .loop(let index): "\(category) loop \(index)"
                }
            // What had begun before counts from the start.
            let begin = max(event.start, start.ticks)
            let duration = max(event.end, begin) - begin
            let shape =
                duration == 0
                ? #""ph":"i","s":"t""# : #""ph":"X","dur":\#(microseconds(duration))"#
            let time = microseconds(begin - start.ticks)
            return #"{"name":\#(quoted(name)),"cat":"\#(category)",\#(shape),"ts":\#(time),"#
                + #""pid":\#(Processes.current),"tid":\#(event.thread)}"#
        }
        return #"{"traceEvents":["# + "\n" + lines.joined(separator: ",\n") + "\n]}\n"
    }

    /// A JSON string. RFC 8259.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
