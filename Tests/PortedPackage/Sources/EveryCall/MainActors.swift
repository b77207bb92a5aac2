import Dispatch

// GCD's calls from code on the main actor. Compiled, never run.
@MainActor
final class Screen {
    private var text = ""
    private let queue = DispatchQueue(label: "screen")
    private var timer: DispatchSourceTimer?

    func load() {
        queue.async { [weak self] in
            let loaded = "text"
            DispatchQueue.main.async { [weak self] in self?.text = loaded }
        }
        DispatchQueue.main.async { self.show() }
        DispatchQueue.main.async { [weak self] in self?.show() }
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) { self.show() }
        DispatchQueue.global().async { DispatchQueue.main.sync { self.show() } }
        let group = DispatchGroup()
        group.notify(queue: .main) { self.show() }
        let item = DispatchWorkItem { [weak self] in self?.show() }
        DispatchQueue.main.async(execute: item)
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.setEventHandler { [weak self] in self?.show() }
        timer.resume()
        self.timer = timer
    }

    func wait() -> Int {
        var length = 0
        queue.sync { length += text.count }
        return length
    }

    private func show() { text += "!" }
}
