import Testing
import WebAddress

@Suite("Web URLs and forms")
struct WebURLTests {
  @Test("a URL is parsed, normalised and extended by path and query")
  func parts() throws {
    let url = try #require(WebURL("HTTPS://Auth.PingOne.com/env/as?x=1"))
    #expect(url.origin.host == "auth.pingone.com")
    #expect(url.origin.port == 443)
    #expect(url.text == "https://auth.pingone.com/env/as?x=1")
    #expect(
      url.appending(query: [("a b", "ü&")])?.text == "https://auth.pingone.com/env/as?x=1&a%20b=%C3%BC%26"
    )
    #expect(WebURL("http://127.0.0.1:80/")?.origin == WebURL("http://127.0.0.1")?.origin)
    #expect(WebURL("https://h/base/")?.appending(path: "/trust")?.text == "https://h/base/trust")
  }

  @Test(
    "an ambiguous URL is refused",
    arguments: [
      "", "ftp://a/", "https://", "https:///x", "https://user@host/", "https://host#f", "https://a\\b/",
      "https://a b/", "https://host:0/", "https://host:65536/", "https://host:+1/", "https://host:/",
      "//host/",
      "https://hö.st/", "https://[::1", "https://h/\u{7f}", "javascript://x",
    ]
  )
  func refused(text: String) {
    #expect(WebURL(text) == nil)
  }

  @Test("only loopback addresses and localhost are loopback")
  func loopback() {
    for host in ["127.0.0.1", "127.255.0.9", "localhost", "[::1]"] {
      #expect(WebURL("http://\(host):1/")?.origin.isLoopback == true)
    }
    for host in ["128.0.0.1", "127.0.0.1.example.com", "127.1", "localhost.example", "[::2]"] {
      #expect(WebURL("http://\(host):1/")?.origin.isLoopback == false)
    }
  }

  @Test("a form survives encoding and decoding; broken escapes are refused")
  func forms() throws {
    let decoded = try #require(FormEncoding.decode(FormEncoding.encode([("a", "1 &=%ü"), ("b", "")])))
    #expect(decoded.map(\.0) == ["a", "b"])
    #expect(decoded.map(\.1) == ["1 &=%ü", ""])
    #expect(FormEncoding.decode("a=%4") == nil)
    #expect(FormEncoding.decode("a=%FF") == nil)
    #expect(FormEncoding.decode("a+b=c+d")?.first?.0 == "a b")
  }

  @Test("decodeUnique refuses a form with a repeated parameter")
  func unique() {
    #expect(FormEncoding.decodeUnique("a=1&b=2")?.map(\.1) == ["1", "2"])
    for text in ["a=1&a=1", "a=1&b=2&%61=3", "a=%", "a&a"] {
      #expect(FormEncoding.decodeUnique(text) == nil, "\(text)")
    }
  }
}
