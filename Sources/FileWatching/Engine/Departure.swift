/// A renamed file or folder whose new path is not known yet.
struct Departure {
    var cookie: UInt32
    var node: NodeNumber
    var timeNanoseconds: UInt64
}
