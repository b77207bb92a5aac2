/// The state of the runtime, for debugging a live process. An extension to GCD.
public enum DispatchRuntime {}
