internal import ControlClient
internal import JSON

extension Command {
  static let rpc = Command(
    "rpc",
    "METHOD [JSON|-]",
    words: 1...2,
    operands: .methods,
    summary: "call a method of the control API and print its result",
    details: """
      JSON is the object of the parameters, - reads it from standard input: so should you give what is secret.
      "authctl rpc rpc.discover" describes every method. The result is printed as one line of JSON.
      """,
    examples: [
      "authctl rpc passcode.get",
      "authctl rpc notification.deny - < params.json",
    ]
  ) { (session) throws(Failure) in
    let words = session.arguments.words
    var params: JSONObject = [:]
    if words.count > 1 {
      let bytes = words[1] == "-" ? try InputFile("-").bytes : Array(words[1].utf8)
      guard let object = (try? JSON(parsing: bytes))?.object else {
        throw session.misused("the parameters are no JSON object")
      }
      params = object
    }
    let result = try session.daemon().result(of: NamedCall(method: words[0], params: params))
    try session.output.line(SafeText(result))
  }
}
