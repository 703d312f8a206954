// TraceTests
