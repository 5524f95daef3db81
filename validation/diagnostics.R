# What R's metafor gives for influence diagnostics, Baujat plots and moderators, and clubSandwich for degrees of freedom:
# writes tests/golden/diagnostics.json.
#
#     Rscript validation/diagnostics.R
#
# Needs R with metafor, clubSandwich and jsonlite: apt install r-base-core r-cran-metafor r-cran-clubsandwich
# r-cran-jsonlite, or in R install.packages(c("metafor", "clubSandwich", "jsonlite")). The tests only read what it wrote.

for (package in c("metafor", "clubSandwich", "jsonlite")) {
  if (!requireNamespace(package, quietly = TRUE)) stop("install.packages(\"", package, "\") first")
}
suppressPackageStartupMessages(library(metafor))

methods <- c(reml = "REML", dl = "DL", pm = "PM", fixed = "EE")
tests <- c(adhoc = "adhoc", `knapp-hartung` = "knha", normal = "z")
exact <- list(threshold = 1e-13, maxiter = 100000, tol = 1e-14)

# Effects with known answers elsewhere, and drawn ones: few tasks, one far off, variances from 1 to 100, all alike.
set.seed(18)
drawn <- function(k, tau2, ratio, slope = 0) {
  size <- round(rnorm(k), 3)
  variance <- signif(exp(seq(0, log(ratio), length.out = k)) * 0.01, 6)[sample(k)]
  list(
    effect = round(0.2 + slope * size + rnorm(k, 0, sqrt(variance + tau2)), 6), variance = variance,
    moderators = list(size = size, domain = rep(c("web", "news", "law"), length.out = k))
  )
}
bcg <- escalc(measure = "RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = dat.bcg)
data <- list(
  `dat.bcg log risk ratio` = list(
    effect = as.numeric(bcg$yi), variance = as.numeric(bcg$vi),
    moderators = list(ablat = bcg$ablat, year = bcg$year, alloc = as.character(bcg$alloc))
  ),
  `few tasks` = drawn(5, 0.02, 4), `medium` = drawn(12, 0.05, 10, 0.3), `unequal` = drawn(20, 0.1, 100, 0.2),
  `no variance between tasks` = drawn(8, 0, 3),
  `two tasks` = list(effect = c(0.1, 0.5), variance = c(0.01, 0.02), moderators = list())
)
data$`one far off` <- data$medium
data$`one far off`$effect[3] <- 3

plain <- function(x) unname(as.numeric(x))

influence_of <- function(one, method, test) {
  fit <- rma(one$effect, one$variance, method = method, test = test, control = exact)
  found <- influence(fit)
  pdf(NULL)
  baujat <- baujat(fit)
  dev.off()
  list(
    rstudent = plain(found$inf$rstudent), dffits = plain(found$inf$dffits), cook = plain(found$inf$cook.d),
    covariance_ratio = plain(found$inf$cov.r), tau2 = plain(found$inf$tau2.del), q = plain(found$inf$QE.del),
    hat = plain(found$inf$hat), dfbetas = plain(found$dfbs[[1]]), influential = unname(found$is.infl),
    baujat_x = baujat$x, baujat_y = baujat$y
  )
}

# The design as podium has it: an intercept, numbers as they are, and texts by the groups after the first.
regression_of <- function(one, names, method, test) {
  frame <- as.data.frame(one$moderators[names], stringsAsFactors = TRUE)
  fit <- rma(one$effect, one$variance, mods = reformulate(names), data = frame, method = method, test = test, control = exact)
  interval <- if (method == "EE") c(NA, NA) else plain(confint(fit, type = "QP", control = list(tau2.max = 1000, tol = 1e-14))$random[1, 2:3])
  list(
    names = rownames(fit$beta), estimate = plain(fit$beta), std_error = plain(fit$se), statistic = plain(fit$zval),
    p = plain(fit$pval), low = plain(fit$ci.lb), high = plain(fit$ci.ub), covariance = unname(fit$vb),
    tau2 = fit$tau2, tau2_low = interval[1], tau2_high = interval[2], i2 = fit$I2 / 100, h2 = fit$H2,
    r2 = if (is.null(fit$R2)) NA else fit$R2 / 100, qm = fit$QM, qm_freedom = plain(fit$QMdf), qm_p = fit$QMp,
    qe = fit$QE, qe_p = fit$QEp,
    robust_freedom = clubSandwich::coef_test(fit, vcov = "CR2", cluster = seq_along(one$effect))$df_Satt
  )
}

choices <- list(
  `dat.bcg log risk ratio` = list("ablat", "alloc", c("ablat", "year"), c("ablat", "alloc")),
  `few tasks` = list("size"), `medium` = list("size", "domain", c("size", "domain")),
  `unequal` = list("size", c("size", "domain")), `no variance between tasks` = list("size", "domain"),
  `one far off` = list("size")
)

cases <- lapply(names(data), function(name) {
  one <- data[[name]]
  fits <- list()
  for (method in names(methods)) {
    for (test in names(tests)) {
      for (chosen in choices[[name]]) {
        found <- regression_of(one, chosen, methods[[method]], tests[[test]])
        fits[[length(fits) + 1]] <- c(list(moderators = I(chosen), estimator = method, interval = test), found)
      }
    }
  }
  influence <- list()
  for (method in names(methods)) {
    for (test in names(tests)) {
      found <- influence_of(one, methods[[method]], tests[[test]])
      influence[[length(influence) + 1]] <- c(list(estimator = method, interval = test), found)
    }
  }
  c(list(data = name), one, list(influence = influence, regressions = fits))
})

version <- function(package) as.character(packageVersion(package))
versions <- list(R = as.character(getRversion()), metafor = version("metafor"), clubSandwich = version("clubSandwich"))
here <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
target <- file.path(dirname(here), "..", "tests", "golden", "diagnostics.json")
jsonlite::write_json(list(versions = versions, cases = cases), target, digits = NA, auto_unbox = TRUE, na = "null")
