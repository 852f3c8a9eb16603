internal import ControlAPI
internal import ControlClient
internal import JSON
internal import JSONRPC
internal import Text
internal import Usage

extension Command {
  static let rpc = Command(
    "rpc",
    "METHOD [JSON|-]",
    words: 1...2,
    operands: .methods,
    summary: "call a method of the control API and print its result",
    details: """
      JSON is the object of the parameters; - reads it from standard input. Give secrets only on standard
      input. "authctl rpc rpc.discover" describes every method. The result is printed as one line of JSON.
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
        throw session.misused("the parameters are not a JSON object")
      }
      params = object
    }
    let result: JSON
    do throws(Failure) {
      result = try session.daemon().result(of: NamedCall(method: words[0], params: params))
    } catch {
      let named = error.naming(words[0], on: .methodNotFound)
      let names = MethodTable.all.map { $0.name }
      guard !names.contains(words[0]) else {
        throw named.withHint("\"authctl rpc rpc.discover\" describes its parameters", on: .invalidParams)
      }
      let meant: SafeText? = names.nearest(to: words[0]).map { "did you mean \($0)?" }
      throw named.withHint(
        meant ?? "\"authctl rpc rpc.discover\" lists all methods",
        on: .methodNotFound
      )
    }
    try session.output.line(SafeText(result))
  }
}
