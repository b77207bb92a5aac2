#if !TLS
/// Stands in for the module's types while the package's trait `TLS` is off, for the compiler's
/// message only.
@available(*, unavailable, message: "RingTLS needs the trait TLS of the package ring-dispatch")
public enum TLSConfiguration {}

@available(*, unavailable, message: "RingTLS needs the trait TLS of the package ring-dispatch")
public enum TLSContext {}

@available(*, unavailable, message: "RingTLS needs the trait TLS of the package ring-dispatch")
public enum TLSEngine {}
#endif
