internal import ControlAPI
internal import ControlClient
internal import JSON

/// A file of answers by key or label: an object of them, or as a line of standard input has them, `{"values":{…}}`.
enum AnswerFile {
  static func values(at path: String) throws(Failure) -> JSONObject {
    let file = try InputFile(path, isPrivate: true)
    let object: JSONObject
    do {
      guard let read = try JSON(parsing: file.bytes).object else {
        throw wrong("\(path) is no JSON object of answers")
      }
      object = read
    } catch let failure as Failure {
      throw failure
    } catch {
      throw wrong("\(path) is no JSON")
    }
    // A field may be called so too; its answer is no object of others.
    guard let line = try? AnswerLine(reading: .object(object)), !line.values.isEmpty else { return object }
    let values = line.values
    if let other = object.names.first(where: { object[$0]?.object != values }) {
      throw wrong("\(path) has \"\(other)\" beside \"values\"")
    }
    return values
  }

  private static func wrong(_ message: SafeText) -> Failure {
    .local(
      .usage,
      message,
      hint: #"it holds {"KEY":"VALUE"} or {"values":{"KEY":"VALUE"}}, by keys or labels"#
    )
  }
}
