#include <opencv2/dnn.hpp>
#include <opencv2/objdetect.hpp>
extern "C" int cv_probe(void) { try { cv::Mat m(2,2,CV_8U); return m.rows; } catch (...) { return -1; } }
