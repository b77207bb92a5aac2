internal import RingDispatch

extension Resolver {
    /// A lookup under way.
    public final class Lookup: Sendable {
        let endpoint: Endpoint
        private let resolver: Resolver
        /// Guards the steps from the start to the one answer. Not held while others' locks are
        /// taken, nor while the answer is delivered.
        private let state: Locked<State>

        private struct State: Sendable {
            /// Taken by whoever ends the lookup; nil from then on.
            var deliver: (@Sendable (Answer) -> Void)?
            var timer: DispatchScheduledItem?
            var hadItsTurn = false
        }

        init(
            _ resolver: Resolver, _ endpoint: Endpoint,
            deliver: @escaping @Sendable (Answer) -> Void
        ) {
            self.resolver = resolver
            self.endpoint = endpoint
            state = Locked(State(deliver: deliver))
        }

        /// Ends the lookup: its completion is submitted with the error `cancelled`, unless it was
        /// submitted already. From any thread.
        public func cancel() {
            guard case .host(let host, _) = endpoint else { return }
            if finish(.failure(.cancelled(host))) { resolver.forget(self) }
        }

        /// Called once, by who made it.
        func start(timeout: DispatchTimeInterval) {
            guard case .host(let host, _) = endpoint else {
                finish(.success([endpoint]))
                return
            }
            guard state.withLock({ $0.deliver != nil }) else { return }
            guard resolver.admit(self) else {
                finish(.failure(.tooMany(host)))
                return
            }
            setTimer(timeout, host)
            // Cancelled before it was in line, where `cancel` did not find it.
            if state.withLock({ $0.deliver == nil }) { resolver.forget(self) }
        }

        private func setTimer(_ timeout: DispatchTimeInterval, _ host: HostName) {
            let timer = DispatchQueue.global().scheduleAfter(deadline: .now() + timeout) { [self] in
                let hadItsTurn = state.withLock { $0.hadItsTurn }
                let error = ResolverError.timedOut(host, hadItsTurn: hadItsTurn)
                if finish(.failure(error)) { resolver.forget(self) }
            }
            let isNeeded = state.withLock { state -> Bool in
                if state.deliver != nil { state.timer = timer }
                return state.deliver != nil
            }
            if !isNeeded { timer.cancel() }
        }

        /// The host to look up; nil when the lookup has ended already.
        func beginTurn() -> HostName? {
            guard case .host(let host, _) = endpoint else { return nil }
            let isNeeded = state.withLock { state -> Bool in
                state.hadItsTurn = true
                return state.deliver != nil
            }
            return isNeeded ? host : nil
        }

        /// Delivers the answer, unless there was one already. True: this one counts.
        @discardableResult
        func finish(_ answer: Answer) -> Bool {
            let (deliver, timer) = state.withLock { state in
                defer { (state.deliver, state.timer) = (nil, nil) }
                return (state.deliver, state.timer)
            }
            timer?.cancel()
            deliver?(answer)
            return deliver != nil
        }
    }
}
