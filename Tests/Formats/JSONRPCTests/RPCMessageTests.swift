import JSON
import JSONRPC
import Testing

@Suite("JSON-RPC messages")
struct RPCMessageTests {
  private func error(_ text: String) -> RPCError? {
    do {
      if case .single(.failure(let error)) = try RPCMessage(parsing: Array(text.utf8)) { return error }
      return nil
    } catch { return error }
  }

  private func request(_ text: String) -> RPCRequest? {
    guard case .single(.success(let request)) = try? RPCMessage(parsing: Array(text.utf8)) else { return nil }
    return request
  }

  @Test("valid examples of the specification are parsed")
  func examples() throws {
    let positional = try #require(
      request(#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#)
    )
    #expect(positional.method == "subtract")
    #expect(positional.params == [42, 23])
    #expect(positional.id?.bytes == Array("1".utf8))
    let named = try #require(
      request(
        #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#
      )
    )
    #expect(named.params == ["minuend": 42, "subtrahend": 23])
    #expect(request(#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#)?.id == nil)
    #expect(request(#"{"jsonrpc": "2.0", "method": "foobar"}"#)?.params == nil)
  }

  @Test(
    "invalid examples get the errors of the specification",
    arguments: [
      (#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, -32700),
      (#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, -32600),
      (
        #"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]"#,
        -32700
      ),
      ("[]", -32600),
    ]
  )
  func refusedExamples(text: String, code: Int) {
    #expect(error(text)?.code == code)
  }

  @Test("a batch keeps valid requests next to invalid ones")
  func batch() throws {
    let text = """
      [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}, {"foo": "boo"}, 1,
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]
      """
    guard case .batch(let items) = try RPCMessage(parsing: Array(text.utf8)) else {
      Issue.record("not a batch")
      return
    }
    let outcomes = items.map { (item: Result<RPCRequest, RPCError>) -> String in
      switch item {
      case .success(let request): request.method
      case .failure(let error): error.reason
      }
    }
    #expect(outcomes == ["sum", "notify_hello", "INVALID_REQUEST", "INVALID_REQUEST", "get_data"])
  }

  @Test(
    "a reply repeats the id exactly as written",
    arguments: [#""\u0041\/""#, "1.50", "-0", "1e3", "null", "12345678901234567890123", #""""#]
  )
  func identifiers(id: String) throws {
    let request = try #require(self.request(#"{"id": \#(id) ,"jsonrpc":"2.0","method":"m"}"#))
    let reply = RPCReply(id: try #require(request.id)) { $0.write(true) }
    #expect(
      String(decoding: reply.line, as: UTF8.self) == #"{"jsonrpc":"2.0","id":\#(id),"result":true}"# + "\n"
    )
  }

  @Test(
    "each exceeded limit and wrong type has its own reason",
    arguments: [
      (#"{"jsonrpc":"2.0","method":"m","id":[1]}"#, "INVALID_REQUEST"),
      (#"{"jsonrpc":"2.0","method":"m","id":true}"#, "INVALID_REQUEST"),
      (#"{"jsonrpc":"2.0","method":"m","id":"\#(String(repeating: "x", count: 257))"}"#, "INVALID_REQUEST"),
      (#"{"jsonrpc":"2.0","method":"m","params":1}"#, "INVALID_REQUEST"),
      (#"{"jsonrpc":"2.0","method":"m","params":null}"#, "INVALID_REQUEST"),
      (#"{"jsonrpc":2.0,"method":"m"}"#, "INVALID_REQUEST"), (#"{"method":"m"}"#, "INVALID_REQUEST"),
      (#"{"jsonrpc":"2.0","method":"m","method":"n"}"#, "DUPLICATE_NAME"),
      (#"{"jsonrpc":"2.0","method":"m","params":{"a":{"b":1,"b":1}}}"#, "DUPLICATE_NAME"),
      (#"{"jsonrpc":"2.0","method":"\ud800"}"#, "PARSE_ERROR"), ("\"", "PARSE_ERROR"),
      (String(repeating: "[", count: 33) + String(repeating: "]", count: 33), "NESTING_TOO_DEEP"),
      ("[" + Array(repeating: "1", count: 17).joined(separator: ",") + "]", "BATCH_TOO_LARGE"),
      ("1", "INVALID_REQUEST"), (#""text""#, "INVALID_REQUEST"),
    ]
  )
  func limits(text: String, reason: String) {
    #expect(error(text)?.reason == reason)
  }

  @Test("a result that is too large becomes an error with the same id")
  func largeResult() throws {
    let frame = RPCReply(id: .null) { $0.write("") }.bytes.count
    for (extra, fits) in [(0, true), (1, false)] {
      let text = String(repeating: "x", count: RPCReply.maximumLength - frame + extra)
      let reply = Array(RPCReply(id: .null) { $0.write(text) }.bytes)
      #expect(reply.count <= RPCReply.maximumLength)
      let json = try JSON(parsing: reply)
      #expect((json["result"] == .string(text)) == fits)
      #expect((json["error"]?["data"]?["reason"] == "RESULT_TOO_LARGE") == !fits)
      #expect(json["id"] == .null)
    }
    #expect(RPCReply.maximumLength == 1 << 20)
  }

  @Test("the reply to a batch is limited to one line of maximum length")
  func batchOfLargeResults() throws {
    var batch = RPCBatchReply()
    #expect(batch.line == nil)
    for number in 0..<16 {
      let id = try #require(request(#"{"jsonrpc":"2.0","method":"m","id":\#(number)}"#)?.id)
      batch.add(RPCReply(id: id) { $0.write(String(repeating: "x", count: number == 3 ? 10 : 200_000)) })
      #expect(batch.heldCount <= 2 * RPCReply.maximumLength)
    }
    let line = try #require(batch.line)
    #expect(line.last == UInt8(ascii: "\n"))
    #expect(line.count - 1 <= RPCReply.maximumLength)
    let replies = try #require(JSON(parsing: line).array)
    #expect(replies.compactMap { $0["id"]?.int }.sorted() == Array(0..<16))
    #expect(replies.count { $0["result"] != nil } == 6, "as many as fit, the small one among them")
  }
}
