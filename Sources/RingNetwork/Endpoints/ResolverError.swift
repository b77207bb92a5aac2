internal import LinuxPlatform
public import RingDispatch

/// Why a host name has no addresses, and the remedy.
public struct ResolverError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was wrong, in a form that a program can test.
    public enum Reason: Sendable, Equatable {
        /// The name does not exist or has no address. EAI_NONAME.
        case notFound
        /// No name server answered; a retry may help. EAI_AGAIN.
        case temporaryFailure
        /// The name servers refused permanently. EAI_FAIL.
        case permanentFailure
        /// EAI_MEMORY.
        case outOfMemory
        /// A system call failed; `code` is its `errno`. EAI_SYSTEM.
        case system
        /// The time limit expired.
        case timedOut
        /// `Lookup.cancel()` was called. A cancelled task gets `CancellationError`.
        case cancelled
        /// Too many lookups wait; see ``Resolver/waitingLimit``.
        case tooManyLookups
        /// Another error of the C library; see `lookupCode`.
        case other
    }

    /// For programs; `description` is for people.
    public let reason: Reason
    /// The result of getaddrinfo(3), such as EAI_NONAME; 0 without a lookup.
    public let lookupCode: Int32
    /// The `errno` for ``Reason/system``; nil otherwise.
    public let code: ErrorNumber?
    /// The name, the cause and the remedy, in one line.
    public let description: String
}

extension ResolverError {
    private init(
        _ reason: Reason, _ host: HostName, lookup: NameLookupError? = nil, _ cause: String,
        _ remedy: String
    ) {
        self.init(
            reason: reason, lookupCode: lookup?.code ?? 0,
            code: lookup?.systemCode.map(ErrorNumber.init(rawValue:)),
            description: "'\(host)' cannot be resolved: \(cause); \(remedy)")
    }

    init(_ host: HostName, _ error: NameLookupError) {
        let (reason, remedy): (Reason, String) =
            switch error.code {
            case NameLookupError.noName, NameLookupError.noData, NameLookupError.addressFamily:
                (.notFound, "check the spelling, and whether DNS or /etc/hosts has an address")
            case NameLookupError.tryAgain:
                (
                    .temporaryFailure,
                    "check the network and the name servers in /etc/resolv.conf, and try again"
                )
            case NameLookupError.failure:
                (.permanentFailure, "check the name servers in /etc/resolv.conf")
            case NameLookupError.outOfMemory:
                (.outOfMemory, "free memory, or raise the process's limit")
            case NameLookupError.system:
                (
                    .system,
                    error.descriptorRemedy
                        ?? "check that the process may open sockets and read /etc"
                )
            default: (.other, "try 'getent ahosts' with the name, which asks the same way")
            }
        self.init(reason, host, lookup: error, error.text, remedy)
    }

    static func timedOut(_ host: HostName, hadItsTurn: Bool) -> ResolverError {
        if hadItsTurn {
            return ResolverError(
                .timedOut, host, "no answer in time",
                "check the name servers in /etc/resolv.conf, or allow more time")
        }
        return ResolverError(
            .timedOut, host, "it waited too long for its turn, because other lookups are slow",
            "check the name servers in /etc/resolv.conf, or use a Resolver with a higher limit")
    }

    static func cancelled(_ host: HostName) -> ResolverError {
        ResolverError(.cancelled, host, "the lookup was cancelled", "resolve it again if needed")
    }

    static func tooMany(_ host: HostName) -> ResolverError {
        ResolverError(
            .tooManyLookups, host, "\(Resolver.waitingLimit) lookups are already waiting",
            "try again later, and resolve unchanging names less often")
    }
}
