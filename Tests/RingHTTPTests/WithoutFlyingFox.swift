#if !FlyingFox
/// The tests need the package trait `FlyingFox`.
enum WithoutFlyingFox {}
#endif
