internal import Glibc
internal import JSON
internal import UnixSockets

/// A file of answers, which may hold secrets.
enum AnswersFile {
  /// Its one JSON object; a file that others than the user may read is refused.
  static func read(_ path: String) throws(Failure) -> JSONObject {
    let descriptor = try StandardInput.open(path)
    if path != "-" { try check(descriptor, path) }
    guard let object = (try? JSON(parsing: try StandardInput.contents(of: descriptor, path)))?.object else {
      throw .local(.usage, "\(path) is no JSON object of answers")
    }
    return object
  }

  private static func check(_ descriptor: Descriptor, _ path: String) throws(Failure) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else {
      throw .local(.usage, "cannot look at \(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .local(
        .usage,
        "\(path) belongs to user \(status.st_uid)",
        hint: "answers are taken from files of yours only"
      )
    }
    guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
      throw .local(
        .usage,
        "others than you may use \(path)",
        hint: "\"chmod 600 \(path)\" makes it yours alone"
      )
    }
  }
}
