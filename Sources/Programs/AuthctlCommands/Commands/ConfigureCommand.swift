internal import JSON

extension Command {
  static let configure = Command(
    "configure",
    "GEO",
    words: 1...1,
    summary: "choose the geography of PingOne that this machine belongs to",
    details: """
      GEO is NorthAmerica, Europe, Australia, Canada, Singapore or AsiaPacific. The same again changes nothing;
      another one is refused until "authctl reset" has erased everything that you have here.
      """
  ) { (session) throws(Failure) in
    let result = try session.call("device.configure", ["geo": .string(session.arguments.words[0])])
    try session.output.result(result) {
      ["configured for \(Describe.value($0["geo"])), device \(Describe.value($0["deviceId"]))"]
    }
  }
}
