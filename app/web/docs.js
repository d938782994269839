// Shows the OpenAPI document with Swagger UI, and asks no other host to check it.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
