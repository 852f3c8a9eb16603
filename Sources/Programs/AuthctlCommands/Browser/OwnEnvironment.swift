internal import Glibc

/// What another program of the user's is started with: the environment of this one, without what is said to mfad's own.
enum OwnEnvironment {
  static var variables: [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      variables.append(String(cString: text))
      entry += 1
    }
    return variables.filter { !$0.hasPrefix("MFAD_") }
  }
}
