// Discovery
