#if !FlyingFox
/// The module is empty: turn on the package trait `FlyingFox`.
enum WithoutFlyingFox {}
#endif
