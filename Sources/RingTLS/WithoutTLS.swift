#if !TLS
/// Placeholders for the module's types while the package trait `TLS` is off, so that the compiler's
/// message names the trait.
@available(*, unavailable, message: "RingTLS needs the trait TLS of the package ring-dispatch")
public enum TLSConfiguration {}

@available(*, unavailable, message: "RingTLS needs the trait TLS of the package ring-dispatch")
public enum TLSContext {}

@available(*, unavailable, message: "RingTLS needs the trait TLS of the package ring-dispatch")
public enum TLSEngine {}
#endif
