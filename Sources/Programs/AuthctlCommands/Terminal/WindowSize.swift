internal import Glibc

/// How large a terminal is; 0 is what is not known, as of everything that is none.
struct WindowSize {
  let columns: Int
  let rows: Int

  init(of descriptor: Int32) {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    (columns, rows) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (0, 0)
  }
}
