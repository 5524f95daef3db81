# Intervals of few effects by metafor and clubSandwich, for tests/golden/pooling.json.
#
#   Rscript validation/pooling.R tests/golden/pooling.json
#
# needs R with the packages metafor, clubSandwich and jsonlite (Debian: r-cran-metafor, r-cran-clubsandwich,
# r-cran-jsonlite). Effects of random worlds are pooled by rma with test = "adhoc": the factor of Knapp and Hartung is
# never below 1. Degrees of freedom are those of clubSandwich for the robust variance CR2 of the mean, each task a
# cluster of its own.

for (package in c("metafor", "clubSandwich", "jsonlite"))
  if (!suppressPackageStartupMessages(require(package, character.only = TRUE, quietly = TRUE)))
    stop("install the R package ", package, ", for example install.packages('", package, "')")

set.seed(18)

# Variances around 1, the largest `ratio` times the smallest: evenly in log, two kinds, or one precise task.
variances_of <- function(k, ratio, form) {
  spread <- switch(form,
    even = seq(0, 1, length.out = k), half = rep(0:1, length.out = k), precise = c(0, rep(1, k - 1))
  )
  ratio^(spread - 0.5)
}

pooled <- function(y, v, method) {
  exact <- list(threshold = 1e-13, maxiter = 10000, stepadj = 0.5, tol = 1e-14)
  fit <- rma(y, v, method = method, test = "adhoc", control = exact)
  new <- if (method == "EE") list(pi.lb = NA, pi.ub = NA) else predict(fit)
  few <- coef_test(fit, vcov = "CR2", cluster = seq_along(y), test = "Satterthwaite")
  list(
    method = method, tau2 = fit$tau2, estimate = as.numeric(fit$beta), se = fit$se, df = fit$ddf, pval = fit$pval,
    ci_lb = fit$ci.lb, ci_ub = fit$ci.ub, pi_lb = new$pi.lb, pi_ub = new$pi.ub,
    satterthwaite = if ("df_Satt" %in% names(few)) few$df_Satt else few$df
  )
}

worlds <- list()
for (form in c("even", "half", "precise"))
  for (k in c(3, 6, 20))
    for (ratio in c(1, 100))
      for (tau2 in c(0, 1)) {
        v <- variances_of(k, ratio, form)
        y <- rnorm(k, 0.3, sqrt(v + tau2))
        fits <- lapply(c("EE", "DL", "REML", "PM"), pooled, y = y, v = v)
        worlds[[length(worlds) + 1]] <- list(y = y, v = v, fits = fits)
      }

versions <- sapply(c("metafor", "clubSandwich"), function(package) as.character(packageVersion(package)))
made <- list(versions = as.list(c(R = as.character(getRversion()), versions)), worlds = worlds)
write_json(made, commandArgs(trailingOnly = TRUE)[1], auto_unbox = TRUE, digits = NA, na = "null")
